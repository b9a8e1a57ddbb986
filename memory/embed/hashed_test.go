package embed_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/embed"
)

// vectors embeds texts with a new embedder.
func vectors(t *testing.T, dimensions int, texts ...string) [][]float32 {
	t.Helper()
	list, err := embed.NewHashed(dimensions).Embed(t.Context(), texts)
	if err != nil || len(list) != len(texts) {
		t.Fatalf("Embed(%d texts) = %d vectors, %v", len(texts), len(list), err)
	}
	return list
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestModel(t *testing.T) {
	t.Parallel()
	want := memory.EmbeddingModel{Provider: "local", Name: "hashed-1", Dimensions: embed.HashedDimensions}
	for _, dimensions := range []int{0, -1, embed.HashedDimensions} {
		if got := embed.NewHashed(dimensions).Model(); got != want {
			t.Errorf("NewHashed(%d).Model() = %+v, want %+v", dimensions, got, want)
		}
	}
	if got := embed.NewHashed(7).Model().Dimensions; got != 7 {
		t.Errorf("NewHashed(7) has %d dimensions, want 7", got)
	}
}

func TestEmbedUnitLength(t *testing.T) {
	t.Parallel()
	texts := []string{"fox", "the fox saw another fox", "昨晚我们确认了部署步骤", "🎉", "C++", strings.Repeat("many words of a text ", 5000)}
	for _, dimensions := range []int{8, 64, 384} {
		for i, v := range vectors(t, dimensions, texts...) {
			if length := math.Sqrt(cosine(v, v)); len(v) != dimensions || math.Abs(length-1) > 1e-5 {
				t.Errorf("Embed(%.30q) = %d numbers of length %f, want %d of length 1", texts[i], len(v), length, dimensions)
			}
		}
	}
}

func TestEmbedNothing(t *testing.T) {
	t.Parallel()
	for i, v := range vectors(t, 0, "", "  ", "the of and", "!!!", "fox") {
		if none := i < 4; (v == nil) != none {
			t.Errorf("vector %d is nil: %v, want %v", i, v == nil, none)
		}
	}
	if list := vectors(t, 0); len(list) != 0 {
		t.Errorf("Embed(nothing) = %d vectors, want none", len(list))
	}
}

func TestEmbedIsDeterministic(t *testing.T) {
	t.Parallel()
	text := "The release waits for the review of the billing service, says Ann. 部署步骤和数据库备份"
	want := vectors(t, 0, text)[0]
	for range 20 {
		if got := vectors(t, 0, "something else", text)[1]; !slices.Equal(got, want) {
			t.Fatal("Embed gives another vector for the same text")
		}
	}
}

// TestEmbedIsStable holds the space to its name: when this fails, the number in
// the name of the model must change, so that old vectors are made anew.
func TestEmbedIsStable(t *testing.T) {
	t.Parallel()
	got := vectors(t, 16, "fox fox den")[0]
	want := []float32{5: .8076288, 12: .29988292, 13: .5077459, 15: 0}
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
		t.Errorf("Embed(fox fox den) = %v, want %v", got, want)
	}
}

func TestSimilarTextsAreNearer(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, near, far string }{
		{"when is the release of the billing service", "the billing service will be released on Monday", "my sister paints landscapes in Lisbon"},
		{"部署步骤和数据库备份", "数据库备份的步骤", "明天一起吃饭吧"},
		{"検証サーバーの設定", "サーバー設定の見直し", "京都への旅行を決めた"},
		{"fox fox fox den", "fox", "den"},
		{"deploy", "deployment deployed", "database"},
	}
	for _, tt := range tests {
		v := vectors(t, 0, tt.text, tt.near, tt.far)
		if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near <= far {
			t.Errorf("%q is %.2f from %q and %.2f from %q, want it nearer to the first", tt.text, near, tt.near, far, tt.far)
		}
	}
	if v := vectors(t, 0, "The Fox, deployed", "fox deploys!"); math.Abs(cosine(v[0], v[1])-1) > 1e-5 {
		t.Errorf("texts of the same words have the cosine %f, want 1", cosine(v[0], v[1]))
	}
}
