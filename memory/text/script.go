package text

import "unicode"

// class says what a folded character is to the analyser.
type class uint8

const (
	gap    class = iota // separates tokens and makes none
	letter              // letter or mark of a script that writes spaces
	digit               // number; part of words, never stemmed
	symbol              // emoji, pictograph or private-use character
	// The classes from cjk on are the families of scripts written without
	// spaces. A run of one family becomes overlapping pairs.
	cjk // Han, kana and Bopomofo together
	hangul
	thai
	lao
	khmer
	myanmar
)

// unspaced reports whether c is a family of scripts written without spaces.
func (c class) unspaced() bool { return c >= cjk }

// word reports whether c is part of a word.
func (c class) word() bool { return c == letter || c == digit }

// classOf returns the class of a character that went through foldRune.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return classASCII(byte(r))
	case plain(r):
		if r >= 0xAC00 {
			return hangul
		}
		return cjk
	case !unicode.In(r, unicode.L, unicode.N, unicode.M):
		if pictograph(r) {
			return symbol
		}
		return gap
	case r < 0x0E00:
		return spaced(r)
	}
	return family(r)
}

// classASCII is classOf for a byte below 0x80.
func classASCII(b byte) class {
	switch {
	case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
		return letter
	case '0' <= b && b <= '9':
		return digit
	}
	return gap
}

// spaced tells letters from numbers in a script that writes spaces.
func spaced(r rune) class {
	if unicode.IsNumber(r) {
		return digit
	}
	return letter
}

// family returns the class of a letter, number or mark from U+0E00 on.
func family(r rune) class {
	switch {
	case unicode.Is(unicode.Thai, r):
		return thai
	case unicode.Is(unicode.Lao, r):
		return lao
	case unicode.Is(unicode.Khmer, r):
		return khmer
	case unicode.Is(unicode.Myanmar, r):
		return myanmar
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo), sharedKana(r):
		return cjk
	}
	return spaced(r)
}

// sharedKana reports whether r is one of the marks that Unicode counts to no
// script because both kana, or kana and Han, use them: 〆, the repeat marks
// 〱–〵, 〼, the combining voicing marks and the long-vowel mark ー.
func sharedKana(r rune) bool {
	switch {
	case r == 0x3006, 0x3031 <= r && r <= 0x3035, r == 0x303C, r == 0x3099, r == 0x309A, r == 0x30FC:
		return true
	}
	return false
}

// plain reports whether r is a common Han, kana or Hangul character that every
// folding leaves as it is when no mark or jamo follows.
func plain(r rune) bool {
	switch {
	case 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3:
		return true
	case 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA, r == 0x30FC:
		return true
	}
	return false
}

// pictograph reports whether r makes a Symbol token: category So from U+2000
// on, skin tones, and private-use characters. Left out are the signs that only
// draw or decorate, which would fill the index with noise: letter-like signs
// below U+2000 (©, °), ™ and ℠, control pictures, boxes and blocks, braille
// (progress spinners), the object and replacement characters.
func pictograph(r rune) bool {
	switch {
	case r < 0x2000,
		r == 0x2120, r == 0x2122,
		0x2400 <= r && r <= 0x245F,
		0x2500 <= r && r <= 0x259F,
		0x2800 <= r && r <= 0x28FF,
		r == 0xFFFC, r == 0xFFFD:
		return false
	}
	return unicode.In(r, unicode.So, unicode.Co) || skinTone(r)
}

// skinTone reports whether r is one of the five emoji modifiers.
func skinTone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// regional reports whether r is a regional indicator; two of them are a flag.
func regional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// ignorable reports whether r is invisible by design: the characters with the
// property Default_Ignorable_Code_Point, which NFKC_Casefold drops as well.
// They neither make nor separate tokens.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0x00AD, r == 0x034F, r == 0x061C,
		r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		0x180B <= r && r <= 0x180F,
		0x200B <= r && r <= 0x200F,
		0x202A <= r && r <= 0x202E,
		0x2060 <= r && r <= 0x206F,
		r == 0x3164, 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		0x1D173 <= r && r <= 0x1D17A,
		0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// joins reports whether r belongs to the character before it, so that a text
// must not be cut between them: marks, joiners, variation selectors, emoji
// modifiers and tags, half-width voicing marks, and the later jamo of a
// Hangul syllable.
func joins(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == 0x200C, r == 0x200D, skinTone(r), 0xE0020 <= r && r <= 0xE007F,
		r == 0xFF9E, r == 0xFF9F, 0x1160 <= r && r <= 0x11FF:
		return true
	}
	return unicode.Is(unicode.M, r)
}
