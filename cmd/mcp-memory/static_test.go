package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// staticFolder writes a model2vec folder that knows the words, each with a
// direction of its own.
func staticFolder(t *testing.T, words ...string) string {
	t.Helper()
	ids := map[string]int{"[UNK]": 0}
	for i, word := range words {
		ids[word] = i + 1
	}
	tokenizer, err := json.Marshal(map[string]any{
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 20, "vocab": ids},
	})
	if err != nil {
		t.Fatal(err)
	}
	size := len(ids)
	header := fmt.Sprintf(`{"embeddings":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]}}`, size, size, 4*size*size)
	weights := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for i := range size * size {
		x := float32(0)
		if i%(size+1) == 0 { // the diagonal
			x = 1
		}
		weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(x))
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"tokenizer.json": tokenizer, "model.safetensors": weights} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// From the local model to a folder of vectors and back.
func TestStaticFolder(t *testing.T) {
	t.Parallel()
	words := []string{"boat", "river", "bread", "oven", "train", "rail", "lamp", "desk"}
	contents := make([]string, 0, len(words))
	for i, word := range words {
		contents = append(contents, fmt.Sprintf("the %s with the %s", word, words[(i+1)%len(words)]))
	}
	db := filepath.Join(t.TempDir(), "memory.db")
	p := start(t, nil, "stdio", "--db", db)
	p.record(contents...)
	p.untilComplete("boat")
	p.end()
	for _, c := range []struct {
		flags    []string
		provider string
	}{
		{[]string{"--embedder", "static", "--static-dir", staticFolder(t, words...)}, "static"},
		{nil, "local"},
	} {
		p := start(t, nil, append([]string{"stdio", "--db", db}, c.flags...)...)
		store := beside(t, db)
		hits := p.until("the switch", "bread oven", func(degraded string) bool {
			active, err := store.ActiveModel(t.Context())
			return degraded == "" && err == nil && active.Provider == c.provider
		})
		if len(hits) == 0 || hits[0] != "3" {
			t.Errorf("%s: search for bread oven = %v, want 3 first", c.provider, hits)
		}
		p.end()
		code, stdout, _ := runProgram(t, nil, append([]string{"doctor", "--db", db}, c.flags...)...)
		if code != exitOK || !strings.Contains(stdout, c.provider+" ") || !strings.Contains(stdout, ": 8 vectors, 0 without a message") {
			t.Errorf("doctor = %d\n%s, want 8 vectors of %s", code, stdout, c.provider)
		}
	}
}

// An embedder that cannot work is a wrong setting: one line says which, and no
// database is made.
func TestEmbeddersThatCannotWork(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--embedder", "static"}, "needs --static-dir"},
		{[]string{"--embedder", "static", "--static-dir", "/nowhere/model"}, "--static-dir /nowhere/model: "},
		{[]string{"--embedder", "static", "--static-dir", empty}, "no tokenizer.json"},
		{[]string{"--embedder", "openai", "--embed-base-url", "nonsense"}, "needs a base URL such as"},
		{[]string{"--embedder", "openai", "--embed-base-url", "ftp://host/v1"}, "needs a base URL such as"},
		{[]string{"--embedder", "openai", "--embed-dimensions", "8193"}, "must be 1 to 8192"},
		{[]string{"--embedder", "openai", "--embed-batch=-1"}, "--embed-batch must be 1 or more"},
		{[]string{"--embedder", "remote"}, "must be one of"},
	} {
		db := filepath.Join(t.TempDir(), "memory.db")
		code, stdout, stderr := runProgram(t, nil, slices.Concat([]string{"stdio", "--db", db}, c.flags)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("stdio %v = %d, %q, %q, want code %d and %q on stderr", c.flags, code, stdout, stderr, exitUsage, c.want)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("stdio %v has made a database", c.flags)
		}
	}
}
