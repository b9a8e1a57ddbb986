package static

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"mcp-memory/memory"
)

// maxHeader is the longest header the format allows, in bytes.
const maxHeader = 100_000_000

// sizes are the bytes of a number, for the types that are read here.
var sizes = map[string]int{"F16": 2, "F32": 4, "F64": 8, "I32": 4, "I64": 8}

// tensor is one tensor of a file, as its header describes it.
type tensor struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // where its bytes begin and end, after the header
	data    []byte // those bytes, checked
	width   int    // bytes a number
}

// parseTensors reads the named tensors of a safetensors file
// (github.com/huggingface/safetensors, "Format"): the length of the header in
// eight bytes, little-endian, the header in JSON, the numbers of the tensors,
// little-endian. A name that the file lacks is not in the result.
func parseTensors(file []byte, names ...string) (map[string]*tensor, error) {
	if len(file) < 8 {
		return nil, memory.Invalidf("the file is too short to be safetensors")
	}
	length := binary.LittleEndian.Uint64(file)
	if length > maxHeader || length > uint64(len(file)-8) {
		return nil, memory.Invalidf("the file is no safetensors, or cut off: its header would have %d bytes", length)
	}
	header, body := file[8:8+length], file[8+length:]
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, memory.Invalidf("the header of the safetensors file is no JSON object: %v", err)
	}
	tensors := map[string]*tensor{}
	for _, name := range names {
		entry, ok := entries[name]
		if !ok {
			continue
		}
		t := &tensor{}
		if err := json.Unmarshal(entry, t); err != nil {
			return nil, memory.Invalidf("tensor %q is not described as safetensors does: %v", name, err)
		}
		if err := t.take(name, body); err != nil {
			return nil, err
		}
		tensors[name] = t
	}
	return tensors, nil
}

// take checks the description of a tensor against the file and cuts its bytes
// out.
func (t *tensor) take(name string, body []byte) error {
	t.width = sizes[t.DType]
	if t.width == 0 {
		return memory.Invalidf("tensor %q has numbers of type %.20q: only F16, F32, F64, I32 and I64 are read", name, t.DType)
	}
	if len(t.Offsets) != 2 || t.Offsets[0] < 0 || t.Offsets[1] < t.Offsets[0] || t.Offsets[1] > len(body) {
		return memory.Invalidf("tensor %q lies outside the file", name)
	}
	t.data = body[t.Offsets[0]:t.Offsets[1]]
	room := len(t.data) / t.width // numbers that fit
	count := 1
	for _, n := range t.Shape {
		if n < 0 || n > 0 && count > room/n {
			return memory.Invalidf("tensor %q has a shape that its bytes do not fill", name)
		}
		count *= n
	}
	if count*t.width != len(t.data) {
		return memory.Invalidf("tensor %q has a shape that its bytes do not fill", name)
	}
	return nil
}

// count is how many numbers the tensor holds.
func (t *tensor) count() int { return len(t.data) / t.width }

// float is number i of a tensor of floats.
func (t *tensor) float(i int) float64 {
	var one [1]float64
	t.add(one[:], i, 1)
	return one[0]
}

// add adds to sum the floats from number first on, each times weight.
func (t *tensor) add(sum []float64, first int, weight float64) {
	data := t.data[first*t.width : (first+len(sum))*t.width]
	switch t.DType {
	case "F16":
		for i := range sum {
			sum[i] += weight * float64(half(binary.LittleEndian.Uint16(data[2*i:])))
		}
	case "F32":
		for i := range sum {
			sum[i] += weight * float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
	case "F64":
		for i := range sum {
			sum[i] += weight * math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	}
}

// integer is number i of a tensor of integers.
func (t *tensor) integer(i int) int64 {
	at := t.data[i*t.width:]
	if t.DType == "I32" {
		return int64(int32(binary.LittleEndian.Uint32(at)))
	}
	return int64(binary.LittleEndian.Uint64(at))
}

// half decodes a binary16 number of IEEE 754 (a sign, 5 bits of exponent, 10 of
// fraction) by way of binary32 (a sign, 8 and 23).
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch exponent {
	case 0: // zero, or a multiple of the smallest number
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 0x1f: // infinite, or no number
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	}
}
