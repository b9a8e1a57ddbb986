package static_test

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/memory/embed/static"
)

// dimensions is the length of the test model's vectors.
const dimensions = 8

// vocabulary is the test model's, by id.
var vocabulary = []string{
	"[PAD]", "[UNK]", "[CLS]", "[SEP]",
	"the", "a", "cat", "dog", "sat", "on", "mat", "cafe", "naive", "hello", "world", "un", "play",
	"##s", "##ed", "##ing", "##able", "##believ", "##er", "##a", "##b", "b",
	".", ",", "!", "?", "-", "'", "$", "`", "«", "。",
	"猫", "日", "本", "語", "は", "##は", "の", "##の", "𠀀", "é", "café", "Cat", "x", "##x",
}

// rowOf is the vector of a piece: 1 + its id at one place, a half at the next.
func rowOf(id int) []float64 {
	row := make([]float64, dimensions)
	row[id%dimensions] = float64(1 + id)
	row[(id+1)%dimensions] = 0.5
	return row
}

// idOf is the id of a piece.
func idOf(t *testing.T, piece string) int {
	t.Helper()
	for id, p := range vocabulary {
		if p == piece {
			return id
		}
	}
	t.Fatalf("the test vocabulary has no %q", piece)
	return 0
}

// array is a tensor to write.
type array struct {
	dtype  string
	shape  []int
	values []float64
}

// embeddings is the table of the test model.
func embeddings(dtype string) array {
	a := array{dtype: dtype, shape: []int{len(vocabulary), dimensions}}
	for id := range vocabulary {
		a.values = append(a.values, rowOf(id)...)
	}
	return a
}

// safetensors writes a file.
func safetensors(tensors map[string]array) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var body []byte
	for name, a := range tensors {
		begin := len(body)
		for _, v := range a.values {
			switch a.dtype {
			case "F16":
				body = binary.LittleEndian.AppendUint16(body, toHalf(v))
			case "F32":
				body = binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
			case "F64":
				body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
			case "I32":
				body = binary.LittleEndian.AppendUint32(body, uint32(int32(v)))
			case "I64":
				body = binary.LittleEndian.AppendUint64(body, uint64(int64(v)))
			case "I8":
				body = append(body, byte(int8(v)))
			}
		}
		header[name] = map[string]any{"dtype": a.dtype, "shape": a.shape, "data_offsets": []int{begin, len(body)}}
	}
	raw, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(withHeader(string(raw)), body...)
}

// withHeader is a safetensors file of this header and no numbers.
func withHeader(header string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// toHalf encodes a number that binary16 holds exactly and is not subnormal.
func toHalf(v float64) uint16 {
	if v == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(v)) // fraction in [0.5, 1)
	bits := uint16(exponent-1+15)<<10 | uint16(fraction*2048)&0x3ff
	if v < 0 {
		bits |= 1 << 15
	}
	return bits
}

// rules are the parts of a tokenizer.json.
type rules map[string]map[string]any

// bert is the tokenizer of the test model.
func bert() rules {
	ids := map[string]int{}
	for id, piece := range vocabulary {
		ids[piece] = id
	}
	return rules{
		"normalizer":    {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 20, "vocab": ids},
	}
}

// with is the rules with one changed; a nil value takes it out.
func (r rules) with(part, key string, value any) rules {
	r[part] = maps.Clone(r[part])
	if value == nil {
		delete(r[part], key)
	} else {
		r[part][key] = value
	}
	return r
}

func (r rules) json(t testing.TB) []byte {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// folder writes a model; a nil file is left out.
func folder(t *testing.T, tokenizer, weights []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, tokenizer, weights)
	return dir
}

func write(t testing.TB, dir string, tokenizer, weights []byte) {
	t.Helper()
	for name, data := range map[string][]byte{"tokenizer.json": tokenizer, "model.safetensors": weights} {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, tokenizer, weights []byte) *static.Embedder {
	t.Helper()
	e, err := static.Open(folder(t, tokenizer, weights))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return e
}

// tiny is the test model as it is.
func tiny(t *testing.T) *static.Embedder {
	t.Helper()
	return open(t, bert().json(t), safetensors(map[string]array{"embeddings": embeddings("F32")}))
}
