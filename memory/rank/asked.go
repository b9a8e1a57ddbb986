package rank

import "regexp"

// asked says by its wording what kind of answer a question wants.
type asked struct{ when, howMany, where, who, title bool }

// The wordings of questions, in English, Chinese (both scripts) and Japanese.
var (
	asksWhen = regexp.MustCompile(`(?i)\b(?:when|(?:what|which) (?:date|day|week|month|year|season|time)|how (?:long|old)|how many (?:years|months|weeks|days|hours))\b` +
		`|[什甚][么麼]时候|[什甚][么麼]時候|[什甚][么麼]时间|[什甚][么麼]時間|何时|何時|几时|幾時|[几幾][点點年月号號岁歲天]|哪(?:一|个|個)?[年天月日]|多久|多长时间|多長時間` +
		`|いつ(?:[^も]|$)|何[日年月歳才]|何(?:ヶ月|か月|カ月|週間|曜日|世紀|時間)|ど[のれ][くぐ]らい|どの位`)
	asksHowMany = regexp.MustCompile(`(?i)\bhow (?:many|much|often|old|long)\b` +
		`|多少|[几幾]|多[大长長久高重远遠宽寬深]` +
		`|いくつ|いくら|何[人回個本枚台匹冊階度点年日時歳才倍円割名種代番]|何(?:パーセント|キロ|メートル|ヶ月|か月|カ月|週間|ヶ国|か国|カ国)|ど[のれ][くぐ]らい|どの位`)
	asksWhere = regexp.MustCompile(`(?i)\b(?:where|(?:what|which) (?:city|cities|country|countries|states?|places?|towns?|areas?))\b` +
		`|哪[里裡裏儿兒]|何处|何處|(?:[什甚][么麼]|哪[个個座些一]*)(?:地方|地区|地區|城市|国家|國家|国|國|省|州|市|县|縣|岛|島|区|區)` +
		`|どこ|何処|(?:どの|何という|なんという|何)(?:国|町|街|村|市|都市|県|州|島|駅|地域|場所)`)
	asksWho   = regexp.MustCompile(`(?i)\b(?:who|whom|whose)\b|[谁誰]|だれ|名前`)
	asksTitle = regexp.MustCompile(`(?i)\b(?:names?|called|named|books?|movies?|films?|songs?|games?|shows?|titles?|bands?|artists?|albums?|authors?|series|podcasts?|brands?|company|companies)\b` +
		`|[什甚][么麼]名|叫[什甚][么麼]|名[字称稱]|(?:[什甚][么麼]|哪[一几幾些]?)[本部首个個款支张張]?(?:书|書|电影|電影|影片|歌|曲|游戏|遊戲|小说|小說|作品|专辑|專輯|乐队|樂隊)|哪[一几幾些]?[本部首]|[书書片歌曲]名` +
		`|(?:どの|どんな|何の|なんの|好きな)(?:本|映画|小説|曲|歌|作品|ゲーム|アルバム|バンド)`)
)

// askedBy reads what a question wants.
func askedBy(query string) asked {
	return asked{
		when:    asksWhen.MatchString(query),
		howMany: asksHowMany.MatchString(query),
		where:   asksWhere.MatchString(query),
		who:     asksWho.MatchString(query),
		title:   asksTitle.MatchString(query),
	}
}
