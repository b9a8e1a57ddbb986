package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"mcp-memory/memory"
)

var embedding = theme{
	"needs a model":                        needsModel,
	"cosine similarity":                    measuresCosine,
	"applies filters inside the search":    filtersVectorsInside,
	"narrows as Lets does":                 filtersVectorsAsLets,
	"any k":                                takesAnyK,
	"parts of a long message":              findsParts,
	"refuses another length":               refusesDimension,
	"refuses what has no direction":        refusesDirectionless,
	"a model stays when it is used again":  reusesModel,
	"another model begins anew":            changesModel,
	"going back to a model begins anew":    changesModelBack,
	"dimensions are a part of the model":   changesDimensions,
	"refuses a model without dimensions":   refusesEmptyModel,
	"leaves alone what is not queued":      ignoresUnqueued,
	"a second vector changes nothing":      keepsFirstVector,
	"a whole batch or nothing is stored":   storesAllVectorsOrNothing,
	"a model without vectors finds nobody": findsNothingYet,
}

// The vector spaces of these tests, the second one a stranger to the first.
var (
	plane = memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
	other = memory.EmbeddingModel{Provider: "test", Name: "other", Dimensions: 2}
)

func use(t *testing.T, s Store, model memory.EmbeddingModel) {
	t.Helper()
	if err := s.UseModel(t.Context(), model); err != nil {
		t.Fatalf("UseModel(%+v): %v", model, err)
	}
}

func save(t *testing.T, s Store, model memory.EmbeddingModel, vectors []memory.Vector) {
	t.Helper()
	if err := s.SaveVectors(t.Context(), model, vectors); err != nil {
		t.Fatalf("SaveVectors(%d): %v", len(vectors), err)
	}
}

func waiting(t *testing.T, s Store) []memory.Pending {
	t.Helper()
	list, err := s.Waiting(t.Context(), 10000)
	if err != nil {
		t.Fatalf("Waiting(): %v", err)
	}
	return list
}

func pendingTexts(list []memory.Pending) []string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Text
	}
	return texts
}

// angle is the unit vector of the plane at some degrees.
func angle(degrees float64) []float32 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}
}

// embed gives every waiting passage the vector that its text asks for.
func embed(t *testing.T, s Store, vector func(text string) []float32) {
	t.Helper()
	use(t, s, plane)
	var vectors []memory.Vector
	for _, p := range waiting(t, s) {
		vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: vector(p.Text)})
	}
	for batch := range slices.Chunk(vectors, 500) {
		save(t, s, plane, batch)
	}
	if rest := waiting(t, s); len(rest) != 0 {
		t.Fatalf("%d passages wait after all were saved", len(rest))
	}
}

// spoken reads the angle that a text like "lamp at 40" names.
func spoken(text string) []float32 {
	var degrees float64
	if _, err := fmt.Sscanf(text, "lamp at %f", &degrees); err != nil {
		return angle(180)
	}
	return angle(degrees)
}

// nearest searches and returns the contents that were found, nearest first.
func nearest(t *testing.T, s Store, model memory.EmbeddingModel, vector []float32, f memory.Filter, k int) []string {
	t.Helper()
	hits, err := s.Nearest(t.Context(), model, vector, f, k)
	if err != nil {
		t.Fatalf("Nearest(%+v, %d): %v", f, k, err)
	}
	return found(t, s, hits)
}

func wantProgress(t *testing.T, s Store, model memory.EmbeddingModel, want memory.Progress) {
	t.Helper()
	if got, err := s.Progress(t.Context(), model); err != nil || got != want {
		t.Errorf("Progress(%s) = %+v, %v, want %+v", model.Name, got, err, want)
	}
}

func needsModel(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)))
	if _, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, 3); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Nearest() before UseModel = %v, want ErrUnavailable", err)
	}
	if err := s.SaveVectors(t.Context(), plane, []memory.Vector{{Ref: 256, Values: angle(0)}}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("SaveVectors() before UseModel = %v, want ErrUnavailable", err)
	}
	if p, err := s.Progress(t.Context(), plane); err != nil || p.Indexed != 0 {
		t.Errorf("Progress() before UseModel = %+v, %v, want none indexed", p, err)
	}
	use(t, s, plane)
	if got := pendingTexts(waiting(t, s)); !slices.Equal(got, []string{"lamp at 0"}) {
		t.Errorf("waiting after UseModel = %q, want what was there before", got)
	}
}

func measuresCosine(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 60", at(1)), said("lamp at 90", at(2)), said("lamp at 180", at(3)), said("lamp at 20", at(4)))
	embed(t, s, func(text string) []float32 {
		v := spoken(text)
		return []float32{v[0] * 5, v[1] * 5} // the length of a vector plays no part
	})
	hits, err := s.Nearest(t.Context(), plane, []float32{3, 0}, memory.Filter{}, 10)
	want := []string{"lamp at 0", "lamp at 20", "lamp at 60", "lamp at 90", "lamp at 180"}
	if got := found(t, s, hits); err != nil || !slices.Equal(got, want) {
		t.Fatalf("Nearest() = %q, %v, want %q", got, err, want)
	}
	for i, cosine := range []float64{1, math.Cos(math.Pi / 9), .5, 0, -1} {
		if math.Abs(hits[i].Score-cosine) > 1e-5 {
			t.Errorf("score of %s = %v, want %v", want[i], hits[i].Score, cosine)
		}
	}
	if got := nearest(t, s, plane, angle(0), memory.Filter{}, 2); !slices.Equal(got, want[:2]) {
		t.Errorf("Nearest(k 2) = %q, want %q", got, want[:2])
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 5})
}

// filtersVectorsInside looks for 3 vectors behind 2,000 nearer ones.
func filtersVectorsInside(t *testing.T, s Store) {
	add(t, s, "crowd", numbered(crowd(), 1000, "lamp at 0.%04d")...)
	batch := numbered(3, 0, "lamp at 5%d")
	for i := range batch {
		batch[i] = of(memory.RoleTool, batch[i])
	}
	add(t, s, "few", batch...)
	embed(t, s, spoken)
	if _, err := s.Archive(t.Context(), "crowd", memory.Position{SentAt: at(1 << 20).UnixNano()}, true); err != nil {
		t.Fatalf("Archive(crowd): %v", err)
	}
	want := []string{"lamp at 50", "lamp at 51", "lamp at 52"}
	for name, f := range map[string]memory.Filter{
		"session": {Session: "few"},
		"role":    {Role: memory.RoleTool},
		"until":   {Until: at(3)},
		"hot":     {HotOnly: true},
		"several": {Session: "few", Role: memory.RoleTool, Since: at(0), Until: at(3), HotOnly: true},
	} {
		if got := nearest(t, s, plane, angle(0), f, 3); !slices.Equal(got, want) {
			t.Errorf("Nearest(filter %s, 3) = %q, want %q", name, got, want)
		}
	}
	if got := nearest(t, s, plane, angle(0), memory.Filter{Session: "nobody"}, 3); len(got) != 0 {
		t.Errorf("Nearest(unknown session) = %q, want nothing", got)
	}
}

func filtersVectorsAsLets(t *testing.T, s Store) {
	roles := []memory.Role{memory.RoleUser, memory.RoleAssistant}
	for i := range 12 {
		add(t, s, fmt.Sprintf("s%d", i%3), of(roles[i%2], said(fmt.Sprintf("lamp at %d", i), at(i))))
	}
	embed(t, s, spoken)
	if _, err := s.Archive(t.Context(), "s1", memory.Position{SentAt: at(5).UnixNano()}, true); err != nil {
		t.Fatalf("Archive(s1): %v", err)
	}
	for _, f := range []memory.Filter{
		{}, {HotOnly: true}, {Session: "s1", HotOnly: true}, {Session: "s1"}, {Since: at(4)}, {Until: at(4)}, {Since: at(4), Until: at(9)},
		{Role: memory.RoleAssistant, Since: at(4).Add(1), HotOnly: true},
	} {
		var want []string
		for i := range 3 {
			for _, m := range transcript(t, s, fmt.Sprintf("s%d", i)) {
				if f.Lets(m.Session, m.Role, m.SentAt, m.Archived) {
					want = append(want, m.Content)
				}
			}
		}
		if got := nearest(t, s, plane, angle(0), f, 20); !sameSet(got, want) {
			t.Errorf("Nearest(%+v) = %q, want %q", f, got, want)
		}
	}
}

func takesAnyK(t *testing.T, s Store) {
	add(t, s, "s", numbered(5, 0, "lamp at %d")...)
	embed(t, s, spoken)
	for k, want := range map[int]int{1: 1, 5: 5, 6: 5, 4096: 5, 4097: 5, 1_000_000: 5} {
		if hits, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, k); err != nil || len(hits) != want {
			t.Errorf("Nearest(k %d) = %d hits, %v, want %d", k, len(hits), err, want)
		}
	}
}

func findsParts(t *testing.T, s Store) {
	parted := said(long(5), at(0))
	done := add(t, s, "s", parted, said("lamp at 90", at(1)))
	texts := map[string]float64{}
	for _, p := range parted.Passages[1:] {
		texts[parted.Message.Content[p.Start:p.End]] = float64(p.Ord)
	}
	embed(t, s, func(text string) []float32 {
		if degrees, ok := texts[text]; ok {
			return angle(degrees)
		}
		return spoken(text)
	})
	hits, err := s.Nearest(t.Context(), plane, angle(3), memory.Filter{}, 1)
	if err != nil || len(hits) != 1 || hits[0].MessageID != done.FirstID || hits[0].Ord != 3 {
		t.Errorf("Nearest(the vector of part 3) = %+v, %v, want part 3 of message %d", hits, err, done.FirstID)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: len(parted.Passages)})
}

func refusesDimension(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)))
	use(t, s, plane)
	ref := waiting(t, s)[0].Ref
	for _, v := range [][]float32{nil, {}, {1}, {1, 0, 0}} {
		if err := s.SaveVectors(t.Context(), plane, []memory.Vector{{Ref: ref, Values: v}}); !errors.Is(err, memory.ErrDimension) {
			t.Errorf("SaveVectors(%v) = %v, want ErrDimension", v, err)
		}
		if _, err := s.Nearest(t.Context(), plane, v, memory.Filter{}, 3); !errors.Is(err, memory.ErrDimension) {
			t.Errorf("Nearest(%v) = %v, want ErrDimension", v, err)
		}
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 1})
}

func refusesDirectionless(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 10", at(1)))
	use(t, s, plane)
	refs := waiting(t, s)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {inf, 0}, {0, -inf}, {1e-30, 0}, {3e38, 3e38}} {
		err := s.SaveVectors(t.Context(), plane, []memory.Vector{{Ref: refs[0].Ref, Values: angle(0)}, {Ref: refs[1].Ref, Values: v}})
		if !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("SaveVectors(%v) = %v, want ErrInvalid", v, err)
		}
		if _, err := s.Nearest(t.Context(), plane, v, memory.Filter{}, 3); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("Nearest(%v) = %v, want ErrInvalid", v, err)
		}
	}
	if got := nearest(t, s, plane, angle(0), memory.Filter{}, 3); len(got) != 0 {
		t.Errorf("Nearest() = %q, want nothing stored", got)
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 2})
}

func reusesModel(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 10", at(1)))
	embed(t, s, spoken)
	use(t, s, plane)
	use(t, s, plane)
	if list := waiting(t, s); len(list) != 0 {
		t.Errorf("%d passages wait after UseModel of the same model, want none", len(list))
	}
	if got := nearest(t, s, plane, angle(0), memory.Filter{}, 5); !slices.Equal(got, []string{"lamp at 0", "lamp at 10"}) {
		t.Errorf("Nearest() = %q, want both as before", got)
	}
}

func changesModel(t *testing.T, s Store) {
	texts := []string{"lamp at 0", "lamp at 10", "lamp at 20"}
	for i, content := range texts {
		add(t, s, "s", said(content, at(i)))
	}
	embed(t, s, spoken)
	use(t, s, other)
	if got := pendingTexts(waiting(t, s)); !sameSet(got, texts) {
		t.Errorf("waiting for the new model = %q, want all messages", got)
	}
	wantProgress(t, s, other, memory.Progress{Waiting: 3})
	if _, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, 5); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("Nearest(the old model) = %v, want ErrUnavailable", err)
	}
	if p, err := s.Progress(t.Context(), plane); err != nil || p.Indexed != 0 {
		t.Errorf("Progress(the old model) = %+v, %v, want none indexed", p, err)
	}
	ref := waiting(t, s)[0].Ref
	if err := s.SaveVectors(t.Context(), plane, []memory.Vector{{Ref: ref, Values: angle(0)}}); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("SaveVectors(the old model) = %v, want ErrUnavailable", err)
	}
	if got := len(waiting(t, s)); got != 3 {
		t.Errorf("%d passages wait, want 3: a vector of the old model is not theirs", got)
	}
}

func changesModelBack(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 10", at(1)))
	embed(t, s, spoken)
	use(t, s, other)
	embed(t, s, func(text string) []float32 { return angle(90) })
	wantProgress(t, s, plane, memory.Progress{Indexed: 2})
	hits, err := s.Nearest(t.Context(), plane, angle(90), memory.Filter{}, 5)
	if err != nil || len(hits) != 2 || hits[0].Score < .99 || hits[1].Score < .99 {
		t.Errorf("Nearest() = %+v, %v, want the two new vectors", hits, err)
	}
}

func changesDimensions(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)))
	embed(t, s, spoken)
	wider := plane
	wider.Dimensions = 3
	use(t, s, wider)
	if got := len(waiting(t, s)); got != 1 {
		t.Errorf("%d passages wait for the model with other dimensions, want 1", got)
	}
	if _, err := s.Nearest(t.Context(), wider, angle(0), memory.Filter{}, 5); !errors.Is(err, memory.ErrDimension) {
		t.Errorf("Nearest(2 of 3 dimensions) = %v, want ErrDimension", err)
	}
	save(t, s, wider, []memory.Vector{{Ref: waiting(t, s)[0].Ref, Values: []float32{0, 0, 1}}})
	if got := nearest(t, s, wider, []float32{0, 0, 1}, memory.Filter{}, 5); len(got) != 1 {
		t.Errorf("Nearest(3 dimensions) = %q, want the message", got)
	}
}

func refusesEmptyModel(t *testing.T, s Store) {
	for _, n := range []int{-1, 0} {
		if err := s.UseModel(t.Context(), memory.EmbeddingModel{Provider: "test", Name: "none", Dimensions: n}); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("UseModel(%d dimensions) = %v, want ErrInvalid", n, err)
		}
	}
}

func ignoresUnqueued(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 10", at(1)), said("lamp at 20", at(2)))
	use(t, s, plane)
	list := waiting(t, s)
	archive(t, s, "s", memory.Position{SentAt: at(1).UnixNano()})
	if err := s.Skip(t.Context(), plane, []int64{list[1].Ref}); err != nil {
		t.Fatalf("Skip(): %v", err)
	}
	vectors := []memory.Vector{{Ref: 1 << 50, Values: angle(0)}}
	for _, p := range list {
		vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: spoken(p.Text)})
	}
	save(t, s, plane, vectors)
	if got := nearest(t, s, plane, angle(0), memory.Filter{}, 5); !slices.Equal(got, []string{"lamp at 20"}) {
		t.Errorf("Nearest() = %q, want the one that was queued", got)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 1})
}

func keepsFirstVector(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)))
	use(t, s, plane)
	ref := waiting(t, s)[0].Ref
	save(t, s, plane, []memory.Vector{{Ref: ref, Values: angle(0)}, {Ref: ref, Values: angle(90)}})
	save(t, s, plane, []memory.Vector{{Ref: ref, Values: angle(90)}})
	hits, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, 5)
	if err != nil || len(hits) != 1 || hits[0].Score < .99 {
		t.Errorf("Nearest() = %+v, %v, want the first vector, once", hits, err)
	}
	wantProgress(t, s, plane, memory.Progress{Indexed: 1})
}

func storesAllVectorsOrNothing(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)), said("lamp at 10", at(1)))
	use(t, s, plane)
	list := waiting(t, s)
	err := s.SaveVectors(t.Context(), plane, []memory.Vector{{Ref: list[0].Ref, Values: angle(0)}, {Ref: list[1].Ref, Values: []float32{1}}})
	if !errors.Is(err, memory.ErrDimension) {
		t.Errorf("SaveVectors(one of another length) = %v, want ErrDimension", err)
	}
	wantProgress(t, s, plane, memory.Progress{Waiting: 2})
}

func findsNothingYet(t *testing.T, s Store) {
	add(t, s, "s", said("lamp at 0", at(0)))
	use(t, s, plane)
	if hits, err := s.Nearest(t.Context(), plane, angle(0), memory.Filter{}, 5); err != nil || len(hits) != 0 {
		t.Errorf("Nearest() before any vector = %+v, %v, want nothing", hits, err)
	}
}
