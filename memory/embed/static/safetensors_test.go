package static_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"mcp-memory/memory"
	"mcp-memory/memory/embed/static"
)

func TestBrokenSafetensors(t *testing.T) {
	t.Parallel()
	described := func(entry string) []byte {
		return append(withHeader(`{"embeddings":`+entry+`}`), make([]byte, 16)...)
	}
	for name, file := range map[string][]byte{
		"empty":               nil,
		"7 bytes":             make([]byte, 7),
		"header cut off":      withHeader(`{"embeddings":{}}`)[:12],
		"header a byte short": slices.Clip(withHeader(`{"embeddings":{}}`)[:24]),
		"length of 2^64-1":    append(slices.Repeat([]byte{0xff}, 8), make([]byte, 100)...),
		"length of 2^63":      append(binary.LittleEndian.AppendUint64(nil, 1<<63), make([]byte, 100)...),
		"no JSON":             withHeader(`{"embeddings":`),
		"a list":              withHeader(`[]`),
		"nothing":             withHeader(`null`),
		"entry no object":     described(`3`),
		"entry null":          described(`null`),
		"no type":             described(`{"shape":[2,2],"data_offsets":[0,16]}`),
		"unknown type":        described(`{"dtype":"BF16","shape":[2,4],"data_offsets":[0,16]}`),
		"no offsets":          described(`{"dtype":"F32","shape":[2,2]}`),
		"one offset":          described(`{"dtype":"F32","shape":[2,2],"data_offsets":[0]}`),
		"negative offset":     described(`{"dtype":"F32","shape":[2,2],"data_offsets":[-16,0]}`),
		"offsets backwards":   described(`{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}`),
		"beyond the end":      described(`{"dtype":"F32","shape":[2,2],"data_offsets":[1,17]}`),
		"offset of 2^63":      described(`{"dtype":"F32","shape":[2,2],"data_offsets":[0,9223372036854775808]}`),
		"shape too large":     described(`{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}`),
		"shape too small":     described(`{"dtype":"F32","shape":[2,1],"data_offsets":[0,16]}`),
		"shape overflows":     described(`{"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,16]}`),
		"shape wraps":         described(`{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}`),
		"negative shape":      described(`{"dtype":"F32","shape":[-2,-2],"data_offsets":[0,16]}`),
		"half a number":       described(`{"dtype":"F32","shape":[1,3],"data_offsets":[0,15]}`),
		"zero, then large":    described(`{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}`),
	} {
		if got, err := static.SumAll(file, 1); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s: table = %v, %v; want ErrInvalid", name, got, err)
		}
	}
}

// FuzzTable reads all that a table says it has.
func FuzzTable(f *testing.F) {
	f.Add(safetensors(map[string]array{"embeddings": embeddings("F16")}), 50)
	f.Add(safetensors(map[string]array{
		"embeddings": {"F32", []int{2, 2}, []float64{1, 2, 3, 4}},
		"weights":    {"F64", []int{2}, []float64{1, 2}},
		"mapping":    {"I32", []int{2}, []float64{1, 0}},
	}), 2)
	f.Add(withHeader(`{"embeddings":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`), 1)
	f.Fuzz(func(t *testing.T, file []byte, n int) {
		if n < 0 || n > 1000 {
			t.Skip("no size of a vocabulary that is worth trying")
		}
		sum, err := static.SumAll(file, n)
		if err != nil && !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("SumAll = %v, want no error but ErrInvalid", err)
		}
		if err == nil && len(sum) == 0 {
			t.Error("SumAll = no numbers and no error")
		}
	})
}
