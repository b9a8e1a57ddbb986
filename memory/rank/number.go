package rank

import "unicode/utf8"

// maxNumber is where reading a number stops to grow.
const maxNumber = 1_000_000_000

// leadingNumber reads the number at the beginning of s, in figures of any width
// or in Chinese characters (三, 十二, 三百, 二〇二三), and returns it with its
// length in bytes; 0 bytes when s does not begin with one.
func leadingNumber(s string) (value, width int) {
	total, section, current := 0, 0, 0
	afterDigit := false
	for width < len(s) {
		r, size := utf8.DecodeRuneInString(s[width:])
		digit, times := figure(r)
		switch {
		case times >= 10_000:
			total = min(maxNumber, total+max(section+current, 1)*times)
			section, current = 0, 0
		case times > 0:
			section = min(maxNumber, section+max(current, 1)*times)
			current = 0
		case digit < 0:
			return min(maxNumber, total+section+current), width
		case afterDigit:
			current = min(maxNumber, current*10+digit)
		default:
			current = digit
		}
		afterDigit = times == 0
		width += size
	}
	return min(maxNumber, total+section+current), width
}

// figure returns the value of a figure, else -1, and of a character that
// multiplies what stands before it, else 0.
func figure(r rune) (digit, times int) {
	switch {
	case '0' <= r && r <= '9':
		return int(r - '0'), 0
	case '０' <= r && r <= '９':
		return int(r - '０'), 0
	}
	switch r {
	case '〇', '零':
		return 0, 0
	case '一':
		return 1, 0
	case '二', '两', '兩':
		return 2, 0
	case '三':
		return 3, 0
	case '四':
		return 4, 0
	case '五':
		return 5, 0
	case '六':
		return 6, 0
	case '七':
		return 7, 0
	case '八':
		return 8, 0
	case '九':
		return 9, 0
	case '十':
		return -1, 10
	case '百':
		return -1, 100
	case '千':
		return -1, 1000
	case '万', '萬':
		return -1, 10_000
	case '亿', '億':
		return -1, 100_000_000
	}
	return -1, 0
}
