package rank_test

import (
	"testing"

	"mcp-memory/memory/rank"
)

// BenchmarkDescribe describes messages of about a hundred characters, as is done
// for each message that is stored.
func BenchmarkDescribe(b *testing.B) {
	for name, s := range map[string]string{
		"English":  "Hey Mel! I went to the LGBTQ support group in Boston last Friday, two of my friends came along with me.",
		"Chinese":  "上周五我和两个朋友去了北京市的图书馆，借了三本书，其中一本是《三体》。昨天晚上我们又在车站见面，聊了很久，最后决定下个月一起去上海旅行，顺便看看住在那里的老同学，他们已经有五年没有回过家乡了。",
		"Japanese": "先週の金曜日に友達と京都府の図書館へ行って、『吾輩は猫である』を借りました。昨日の夜は駅でまた会って、来月いっしょに大阪へ旅行することに決めました。三年前に引っ越した友人にも会うつもりです。",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rank.Describe(s, day)
			}
		})
	}
}
