package lessons

// probes are errors of different kinds, each unrelated to all others, as tools
// report them in English, Chinese and Japanese. How near a model puts them to each
// other tells how near it puts what has nothing in common, see yardstick.
var probes = [...]string{
	"warning: LF will be replaced by CRLF the next time git touches the file",
	"cannot delete branch checked out in another worktree",
	"Segmentation fault (core dumped) while decoding the video stream",
	"TypeError: unsupported operand types for +: int and str",
	"YAML parse failure: mapping values are not allowed here",
	"the clock of this machine is skewed by 312 seconds",
	"printer queue is paused, the tray is out of paper",
	"ValueError: time data does not match format %Y-%m-%d",
	"insufficient funds to place this order",
	"Could not find a declaration file for the imported package",
	"Maximum recursion depth exceeded in comparison",
	"unsupported pixel format in the uploaded picture",
	"foreign key constraint fails when deleting a customer",
	"license has expired, contact your administrator",
	"Unexpected end of JSON input",
	"audio device is in use by another program",
	"日期格式不正确，应为年月日",
	"余额不足，无法下单",
	"图片尺寸超过上限",
	"除法结果溢出",
	"外键约束失败，不能删除客户",
	"函數遞迴層數過多",
	"麥克風沒有聲音輸入",
	"驗證碼輸入錯誤三次，帳號已鎖定",
	"日付の形式が正しくありません",
	"残高が不足しているため注文できません",
	"画像のサイズが上限を超えています",
	"プリンターの用紙がありません",
	"再帰の深さが上限に達しました",
	"ライセンスの有効期限が切れています",
	"音声デバイスが別のアプリで使われています",
	"外部キー制約により顧客を削除できません",
}
