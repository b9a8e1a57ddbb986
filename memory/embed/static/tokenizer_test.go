package static_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/embed/static"
)

func TestPieces(t *testing.T) {
	t.Parallel()
	plain := bert
	for _, test := range []struct {
		name  string
		rules rules
		text  string
		want  string // the pieces, with spaces between
	}{
		{"words", plain(), "the cat sat on the mat", "the cat sat on the mat"},
		{"lower case", plain(), "The CAT", "the cat"},
		{"punctuation apart", plain(), "cat,dog!? (the-mat)", "cat , dog ! ? the - mat"},
		{"symbols of ASCII", plain(), "$cat`", "$ cat `"},
		{"punctuation of Unicode", plain(), "«cat»。", "« cat 。"},
		{"longest first", plain(), "cats played playing", "cat ##s play ##ed play ##ing"},
		{"several pieces", plain(), "unbelievable", "un ##believ ##able"},
		{"a rest unknown", plain(), "catz the", "the"},
		{"a word unknown", plain(), "zebra the", "the"},
		{"a piece that cannot begin", plain(), "able the", "the"},
		{"accents", plain(), "Café naïve café", "cafe naive cafe"},
		{"accents composed by hand", plain(), "cafe\u0301", "cafe"},
		{"accents kept", plain().with("normalizer", "strip_accents", false), "Café é", "café é"},
		{"accents stripped, case kept", plain().with("normalizer", "lowercase", false).with("normalizer", "strip_accents", true), "Cat cafÉ café", "Cat cafe"},
		{"case and accents kept", plain().with("normalizer", "lowercase", false), "Cat cat THE café", "Cat cat café"},
		{"Chinese, each apart", plain(), "日本語猫cat", "日 本 語 猫 cat"},
		{"Chinese beyond the BMP", plain(), "cat𠀀cat", "cat 𠀀 cat"},
		{"kana are words", plain(), "猫は のは", "猫 は の ##は"},
		{"Chinese not apart", plain().with("normalizer", "handle_chinese_chars", false), "日本 猫", "猫"},
		{"white space", plain(), "cat\tdog\ncat\r\ndog\u00a0cat\u3000dog\u2028cat", "cat dog cat dog cat dog cat"},
		{"control characters", plain(), "c\u0000a\u200bt d\u00adog \ufeffthe\ufffd", "cat dog the"},
		{"control characters kept", plain().with("normalizer", "clean_text", false), "c\u200bat dog", "dog"},
		{"invalid UTF-8", plain(), "cat\xff dog \xe7\x8c", "cat dog"},
		{"invalid UTF-8 kept", plain().with("normalizer", "clean_text", false), "cat\xff dog!\xe7\x8c!", "dog ! !"},
		{"as long as may be", plain(), "x" + strings.Repeat("x", 19), "x" + strings.Repeat(" ##x", 19)},
		{"longer", plain(), "x" + strings.Repeat("x", 20) + " cat", "cat"},
		{"100 when not said", plain().with("model", "max_input_chars_per_word", nil), strings.Repeat("x", 101) + " " + strings.Repeat("x", 100), "x" + strings.Repeat(" ##x", 99)},
		{"length in characters", plain().with("model", "max_input_chars_per_word", 2), "のは cat", "の ##は"},
		{"unknown may not count", plain().with("model", "unk_token", "cat"), "cat dog", "dog"},
		{"special pieces are text", plain(), "[PAD] cat [SEP]", "cat"},
	} {
		e := open(t, test.rules.json(t), safetensors(map[string]array{"embeddings": embeddings("F32")}))
		if got := strings.Join(e.Pieces(test.text), " "); got != test.want {
			t.Errorf("%s: Pieces(%q) = %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

func TestPiecesWithAnotherPrefix(t *testing.T) {
	t.Parallel()
	r := bert().with("model", "continuing_subword_prefix", "@").with("model", "vocab", map[string]int{"a": 0, "@b": 1, "##b": 2})
	ids, highest, err := static.ParseTokenizer(r.json(t), "ab abb")
	if err != nil || !slices.Equal(ids, []int{0, 1, 0, 1, 1}) || highest != 2 {
		t.Errorf("ParseTokenizer = %v, %d, %v; want [0 1 0 1 1], 2", ids, highest, err)
	}
}

func FuzzTokenizer(f *testing.F) {
	f.Add([]byte(`{"normalizer":{"type":"BertNormalizer","clean_text":true,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},`+
		`"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"##b":2}}}`), "ab ABB, \xff日")
	f.Add([]byte(`{"model":{"type":"WordPiece","vocab":{"":7}},"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"}}`), "a\xe7\x8c!b")
	f.Add([]byte(`{"model":{"type":"Unigram","vocab":[["a",-1]]}}`), "a")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		ids, highest, err := static.ParseTokenizer(file, text)
		if err != nil && !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("ParseTokenizer = %v, want no error but ErrInvalid", err)
		}
		for _, id := range ids {
			if id < 0 || id > highest {
				t.Errorf("piece %d, want 0 to %d", id, highest)
			}
		}
	})
}
