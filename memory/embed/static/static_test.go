package static_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/embed/static"
)

// checkNear compares vectors up to the precision of float32.
func checkNear(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
		return
	}
	for i := range want {
		if math.Abs(float64(got[i])-want[i]) > 1e-6 {
			t.Errorf("%s = %v, want %v", what, got, want)
			return
		}
	}
}

func embedOne(t *testing.T, e *static.Embedder, s string) []float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), []string{s})
	if err != nil {
		t.Fatalf("Embed(%q): %v", s, err)
	}
	return vectors[0]
}

// TestEmbedByHand has expected vectors that were worked out on paper: "the" is
// piece 4, (0 0 0 0 5 ½ 0 0); "cat" is 6, (0 0 0 0 0 0 7 ½); "##s" is 17,
// (0 18 ½ 0 0 0 0 0).
func TestEmbedByHand(t *testing.T) {
	t.Parallel()
	e := tiny(t)
	for _, test := range []struct {
		text   string
		sum    []float64
		length float64
	}{
		{"the", []float64{0, 0, 0, 0, 5, .5, 0, 0}, math.Sqrt(25.25)},
		{"the cat", []float64{0, 0, 0, 0, 5, .5, 7, .5}, math.Sqrt(74.5)},
		{"cats", []float64{0, 18, .5, 0, 0, 0, 7, .5}, math.Sqrt(373.5)},
		{"cat cat the", []float64{0, 0, 0, 0, 5, .5, 14, 1}, math.Sqrt(222.25)},
		{"cat zebra", []float64{0, 0, 0, 0, 0, 0, 7, .5}, math.Sqrt(49.25)}, // the unknown word counts for nothing
	} {
		want := make([]float64, dimensions)
		for i, x := range test.sum {
			want[i] = x / test.length
		}
		checkNear(t, "Embed("+test.text+")", embedOne(t, e, test.text), want)
	}
}

func TestEmbedWithoutKnownPiecesIsNil(t *testing.T) {
	t.Parallel()
	vectors, err := tiny(t).Embed(t.Context(), []string{"", "zebra", "cat", " \n", "[UNK]"})
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	for i, v := range vectors {
		if (v != nil) != (i == 2) {
			t.Errorf("vector %d = %v, want one for text 2 only", i, v)
		}
	}
}

func TestEmbedIsTheSameInAllTypes(t *testing.T) {
	t.Parallel()
	want := make([]float64, dimensions)
	for i, x := range embedOne(t, tiny(t), "The cats sat.") {
		want[i] = float64(x)
	}
	for _, dtype := range []string{"F16", "F64"} {
		e := open(t, bert().json(t), safetensors(map[string]array{"embeddings": embeddings(dtype)}))
		checkNear(t, dtype, embedOne(t, e, "The cats sat."), want)
	}
}

func TestHalfNumbers(t *testing.T) {
	t.Parallel()
	header := `{"embeddings":{"dtype":"F16","shape":[1,8],"data_offsets":[0,16]}}`
	// 1, -2, the largest, the smallest normal, the smallest of all, the
	// largest subnormal, a third, minus zero.
	body := []byte{0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x00, 0x04, 0x01, 0x00, 0xff, 0x03, 0x55, 0x35, 0x00, 0x80}
	want := []float64{1, -2, 65504, 0x1p-14, 0x1p-24, 1023 * 0x1p-24, 0.333251953125, 0}
	got, err := static.SumAll(append(withHeader(header), body...), 1)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("numbers = %v, %v; want %v", got, err, want)
	}
}

func TestEmbedWeighsPieces(t *testing.T) {
	t.Parallel()
	weights := make([]float64, len(vocabulary))
	weights[idOf(t, "the")], weights[idOf(t, "cat")] = 2, 1
	for _, dtype := range []string{"F32", "F64"} {
		e := open(t, bert().json(t), safetensors(map[string]array{
			"embeddings": embeddings("F32"),
			"weights":    {dtype, []int{len(weights)}, weights},
		}))
		length := math.Sqrt(4*25.25 + 49.25)
		checkNear(t, "weights in "+dtype, embedOne(t, e, "the cat dog"),
			[]float64{0, 0, 0, 0, 10 / length, 1 / length, 7 / length, .5 / length})
	}
}

func TestEmbedMapsPieces(t *testing.T) {
	t.Parallel()
	mapping := make([]float64, len(vocabulary))
	mapping[idOf(t, "dog")] = 1
	for _, dtype := range []string{"I32", "I64"} {
		e := open(t, bert().json(t), safetensors(map[string]array{
			"embeddings": {"F32", []int{2, 2}, []float64{3, 4, 0, 2}},
			"mapping":    {dtype, []int{len(mapping)}, mapping},
		}))
		checkNear(t, "cat, mapped in "+dtype, embedOne(t, e, "cat"), []float64{.6, .8})
		checkNear(t, "dog, mapped in "+dtype, embedOne(t, e, "dog"), []float64{0, 1})
	}
}

func TestEmbedReportsDamage(t *testing.T) {
	t.Parallel()
	for _, damage := range []float64{math.NaN(), math.Inf(1)} {
		table := embeddings("F32")
		table.values[idOf(t, "dog")*dimensions] = damage
		e := open(t, bert().json(t), safetensors(map[string]array{"embeddings": table}))
		vectors, err := e.Embed(t.Context(), []string{"cat", "the dog", "mat"})
		var partial *memory.PartialError
		if !errors.As(err, &partial) || len(partial.Failed) != 1 || partial.Failed[1] == nil {
			t.Errorf("Embed with %v in the table = %v, want a PartialError for text 1", damage, err)
		}
		if vectors[0] == nil || vectors[1] != nil || vectors[2] == nil {
			t.Errorf("Embed with %v in the table = %v, want vectors for all but text 1", damage, vectors)
		}
	}
}

func TestEmbedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tiny(t).Embed(ctx, []string{"cat"}); err != context.Canceled {
		t.Errorf("Embed with a cancelled context = %v, want %v", err, context.Canceled)
	}
}

func TestModelTellsContentsApart(t *testing.T) {
	t.Parallel()
	tokenizer, table := bert().json(t), embeddings("F32")
	base := open(t, tokenizer, safetensors(map[string]array{"embeddings": table})).Model()
	if base.Provider != "static" || base.Dimensions != dimensions || !regexp.MustCompile(`^tiny-[0-9a-f]{8}$`).MatchString(base.Name) {
		t.Errorf("Model() = %+v, want static, tiny-…, %d", base, dimensions)
	}
	if again := tiny(t).Model(); again != base {
		t.Errorf("Model() of the same in another folder = %+v, want %+v", again, base)
	}
	if other := open(t, bert().with("normalizer", "lowercase", false).json(t), safetensors(map[string]array{"embeddings": table})).Model(); other == base {
		t.Errorf("Model() with another tokenizer = %+v, want another name", other)
	}
	table.values[100]++
	if other := open(t, tokenizer, safetensors(map[string]array{"embeddings": table})).Model(); other == base {
		t.Errorf("Model() with another table = %+v, want another name", other)
	}
}

// TestModelOfALargeFile changes every row of a table too large to be hashed
// whole, as training does.
func TestModelOfALargeFile(t *testing.T) {
	t.Parallel()
	const columns = 8 << 10
	model := func(value byte) memory.EmbeddingModel {
		body := bytes.Repeat([]byte{0, 0, 0, value}, len(vocabulary)*columns)
		header := `{"embeddings":{"dtype":"F32","shape":[50,8192],"data_offsets":[0,1638400]}}`
		return open(t, bert().json(t), append(withHeader(header), body...)).Model()
	}
	if a, b := model(63), model(64); a == b || a != model(63) {
		t.Errorf("Model() of two tables = %+v and %+v, want two names, each always the same", a, b)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	tokenizer := bert().json(t)
	tensors := func(name string, a array) []byte {
		return safetensors(map[string]array{"embeddings": embeddings("F32"), name: a})
	}
	fine := safetensors(map[string]array{"embeddings": embeddings("F32")})
	full := make([]float64, len(vocabulary))
	for _, test := range []struct {
		name               string
		tokenizer, weights []byte
		kind               error
		says               string
	}{
		{"no tokenizer", nil, fine, memory.ErrNotFound, "tokenizer.json"},
		{"no weights", tokenizer, nil, memory.ErrNotFound, "model.safetensors"},
		{"no JSON", []byte("x"), fine, memory.ErrInvalid, "tokenizer"},
		{"Unigram", bert().with("model", "type", "Unigram").json(t), fine, memory.ErrInvalid, "Unigram"},
		{"Unigram with its vocabulary", bert().with("model", "type", "Unigram").with("model", "vocab", [][]any{{"a", -1.5}}).json(t), fine, memory.ErrInvalid, "Unigram"},
		{"BPE", bert().with("model", "type", "BPE").json(t), fine, memory.ErrInvalid, "BPE"},
		{"another normaliser", bert().with("normalizer", "type", "NFKC").json(t), fine, memory.ErrInvalid, "NFKC"},
		{"another pre-tokeniser", bert().with("pre_tokenizer", "type", "Metaspace").json(t), fine, memory.ErrInvalid, "Metaspace"},
		{"no vocabulary", bert().with("model", "vocab", nil).json(t), fine, memory.ErrInvalid, "vocabulary"},
		{"negative id", bert().with("model", "vocab", map[string]int{"a": -1}).json(t), fine, memory.ErrInvalid, "-1"},
		{"no prefix", bert().with("model", "continuing_subword_prefix", "").json(t), fine, memory.ErrInvalid, "within a word"},
		{"piece outside", []byte(strings.Replace(string(tokenizer), "{", `{"added_tokens":[{"id":50,"content":"New York","special":false}],`, 1)), fine, memory.ErrInvalid, "New York"},
		{"larger vocabulary", bert().with("model", "vocab", map[string]int{"a": 50}).json(t), fine, memory.ErrInvalid, "50 rows"},
		{"no embeddings", tokenizer, safetensors(map[string]array{"other": embeddings("F32")}), memory.ErrInvalid, "embeddings"},
		{"8-bit embeddings", tokenizer, safetensors(map[string]array{"embeddings": embeddings("I8")}), memory.ErrInvalid, "I8"},
		{"whole numbers", tokenizer, safetensors(map[string]array{"embeddings": embeddings("I32")}), memory.ErrInvalid, "floats"},
		{"one dimension", tokenizer, safetensors(map[string]array{"embeddings": {"F32", []int{50}, full}}), memory.ErrInvalid, "rows and columns"},
		{"no rows", tokenizer, safetensors(map[string]array{"embeddings": {"F32", []int{0, 8}, nil}}), memory.ErrInvalid, "rows and columns"},
		{"few weights", tokenizer, tensors("weights", array{"F32", []int{49}, full[:49]}), memory.ErrInvalid, "weights"},
		{"weights in I64", tokenizer, tensors("weights", array{"I64", []int{50}, full}), memory.ErrInvalid, "weights"},
		{"few in the mapping", tokenizer, tensors("mapping", array{"I64", []int{49}, full[:49]}), memory.ErrInvalid, "mapping"},
		{"mapping in floats", tokenizer, tensors("mapping", array{"F32", []int{50}, full}), memory.ErrInvalid, "mapping"},
		{"mapping beyond", tokenizer, tensors("mapping", array{"I64", []int{50}, append(slices.Clone(full[:49]), 50)}), memory.ErrInvalid, "row 50"},
		{"mapping below", tokenizer, tensors("mapping", array{"I32", []int{50}, append(slices.Clone(full[:49]), -1)}), memory.ErrInvalid, "row -1"},
	} {
		_, err := static.Open(folder(t, test.tokenizer, test.weights))
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: Open = %v, want %v that says %q", test.name, err, test.kind, test.says)
		}
	}
}

func TestOpenTakesSpecialAddedTokens(t *testing.T) {
	t.Parallel()
	tokenizer := strings.Replace(string(bert().json(t)), "{",
		`{"added_tokens":[{"id":1,"content":"[UNK]","special":false},{"id":99,"content":"[MASK]","special":true}],`, 1)
	e := open(t, []byte(tokenizer), safetensors(map[string]array{"embeddings": embeddings("F32")}))
	if got := e.Pieces("cat"); !slices.Equal(got, []string{"cat"}) {
		t.Errorf("Pieces(cat) = %q, want cat", got)
	}
}

func BenchmarkEmbed(b *testing.B) {
	// As large as a small model: 30,000 pieces of 256 half numbers.
	pieces, columns := 30000, 256
	table := array{"F16", []int{pieces, columns}, make([]float64, pieces*columns)}
	for i := range table.values {
		table.values[i] = float64(i%7) - 3
	}
	dir := b.TempDir()
	write(b, dir, bert().json(b), safetensors(map[string]array{"embeddings": table}))
	e, err := static.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The cats played on the unbelievable mat. ", 24) // about 1,000 characters
	for b.Loop() {
		if _, err := e.Embed(b.Context(), []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}
