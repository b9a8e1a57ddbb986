package sqlite_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mcp-memory/memory"
	"mcp-memory/memory/sqlite"
)

// update writes the file of the latest schema version again. Once a version is
// released, its migration and its file stay as they are.
var update = flag.Bool("update", false, "write testdata/schemaN.sqlite of the latest version")

// fixtureMessages is how many messages the files in testdata hold.
const fixtureMessages = 100

func fixture(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("schema%d.sqlite", version))
}

// TestOlderVersions opens a copy of a file that each version has made.
func TestOlderVersions(t *testing.T) {
	t.Parallel()
	if *update {
		writeFixture(t, fixture(sqlite.LatestVersion()))
	}
	fresh := open(t, sqlite.Options{})
	want := schema(t, fresh.Readers())
	for version := 1; version <= sqlite.LatestVersion(); version++ {
		content, err := os.ReadFile(fixture(version))
		if err != nil {
			t.Fatalf("ReadFile(): %v", err)
		}
		path := filepath.Join(t.TempDir(), "old.db")
		write(t, path, content)
		db := open(t, sqlite.Options{Path: path})
		checkFixture(t, db)
		checkSpending(t, db, version)
		if version >= 5 {
			checkFixtureJobs(t, db)
		}
		if version >= 8 {
			checkFixtureLimit(t, db)
		}
		if version >= 9 {
			checkFixtureLessons(t, db)
		}
		if version >= 11 {
			checkFixtureNotes(t, db)
		}
		if got := schema(t, db.Readers()); !slices.Equal(got, want) {
			t.Errorf("schema of version %d, brought up to date =\n%s\nwant that of a new file\n%s", version, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// schema lists what a file consists of, but for the vector tables, which are
// made on demand.
func schema(t *testing.T, pool *sql.DB) []string {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), `
		SELECT type || ' ' || name || ' ' || coalesce(sql, '')
		FROM sqlite_schema
		WHERE tbl_name NOT LIKE 'vec\_%' ESCAPE '\'
		ORDER BY 1`)
	if err != nil {
		t.Fatalf("read the schema: %v", err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatalf("Scan(): %v", err)
		}
		list = append(list, one)
	}
	if len(list) < 20 {
		t.Fatalf("the schema has %d parts, want all of them: %v", len(list), rows.Err())
	}
	return list
}

func checkFixture(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if got := len(newest(t, db)); got != fixtureMessages-1 {
		t.Errorf("%d messages are hot, want all but one, %d", got, fixtureMessages-1)
	}
	for word, want := range map[string]int{"common": fixtureMessages, "word42": 1, "部署": fixtureMessages / 10} {
		if got := search(t, db, word); got != want {
			t.Errorf("Match(%s) = %d hits, want %d", word, got, want)
		}
	}
	hits, err := db.Nearest(t.Context(), fixtureModel(), []float32{1, 50}, memory.Filter{Session: "s"}, 1)
	if err != nil || len(hits) != 1 || hits[0].Score < .9999 {
		t.Errorf("Nearest() = %+v, %v, want the message with this vector", hits, err)
	}
	say(t, db, "common newcomer")
	sound(t, db)
}

// checkSpending looks for what the versions with a ledger have booked.
func checkSpending(t *testing.T, db *sqlite.DB, version int) {
	t.Helper()
	want := memory.Usage{}
	if version >= 4 {
		want = fixtureUsage()
	}
	if got, err := db.Spent(t.Context(), "2001-09-09"); err != nil || got != want {
		t.Errorf("Spent() of version %d = %+v, %v, want %+v", version, got, err, want)
	}
}

func fixtureUsage() memory.Usage { return memory.Usage{Requests: 1, Input: 900, Output: 50} }

func fixtureModel() memory.EmbeddingModel {
	return memory.EmbeddingModel{Provider: "test", Name: "plane", Dimensions: 2}
}

// writeFixture makes a file with every kind of row in it.
func writeFixture(t *testing.T, path string) {
	t.Helper()
	temp := filepath.Join(t.TempDir(), "m.db")
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: temp, JournalMode: "delete", Now: func() time.Time { return time.Unix(1e9, 0) }})
	if err != nil {
		t.Fatalf("Open(): %v", err)
	}
	for i := range fixtureMessages {
		content := fmt.Sprintf("common word%d", i)
		if i%10 == 0 {
			content += " 昨晚部署了新版本" + strings.Repeat(" and something long about the mountains.", 50)
		}
		m := memory.Message{ClientID: fmt.Sprint("c", i), Role: memory.RoleUser, Sender: "Ann", Content: content, SentAt: time.Unix(int64(i), 0), Source: "test",
			ToolName: "ls", ToolCallID: "t", ToolCalls: []byte(`[]`)}
		e := analyse(m)
		e.Key = fmt.Append(nil, "key", i)
		if _, err := db.Append(t.Context(), "s", []memory.Entry{e}); err != nil {
			t.Fatalf("Append(): %v", err)
		}
	}
	fixtureVectors(t, db)
	if err := db.Spend(t.Context(), "2001-09-09", "summary", "m", fixtureUsage()); err != nil {
		t.Fatalf("Spend(): %v", err)
	}
	fixtureJobs(t, db)
	fixtureSummary(t, db)
	if err := db.LearnLimit(t.Context(), fixtureLimit()); err != nil {
		t.Fatalf("LearnLimit(): %v", err)
	}
	fixtureLessons(t, db)
	fixtureNotes(t, db)
	if _, err := db.Archive(t.Context(), "s", memory.Position{SentAt: time.Unix(1, 0).UnixNano()}, false); err != nil {
		t.Fatalf("Archive(): %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close(): %v", err)
	}
	content, err := os.ReadFile(temp)
	if err != nil {
		t.Fatalf("ReadFile(): %v", err)
	}
	write(t, path, content)
}

// fixtureLimit is the learnt limit in the files from version 8 on.
func fixtureLimit() memory.LearntLimit {
	return memory.LearntLimit{Model: "vendor/m", Tokens: 4096, Kind: "maximum", At: time.Unix(1e9, 0).UTC()}
}

func checkFixtureLimit(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if got, found, err := db.LearntLimit(t.Context(), "vendor/m"); err != nil || !found || got != fixtureLimit() {
		t.Errorf("LearntLimit() = %+v, %v, %v, want %+v", got, found, err, fixtureLimit())
	}
}

// fixtureVectors embeds half of the messages and puts one off.
func fixtureVectors(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if err := db.UseModel(t.Context(), fixtureModel()); err != nil {
		t.Fatalf("UseModel(): %v", err)
	}
	list, err := db.Waiting(t.Context(), fixtureMessages/2)
	if err != nil || len(list) == 0 {
		t.Fatalf("Waiting() = %d, %v, want some", len(list), err)
	}
	var vectors []memory.Vector
	for i, p := range list {
		vectors = append(vectors, memory.Vector{Ref: p.Ref, Values: []float32{1, float32(i + 1)}})
	}
	if err := db.SaveVectors(t.Context(), fixtureModel(), vectors); err != nil {
		t.Fatalf("SaveVectors(): %v", err)
	}
	if list, err = db.Waiting(t.Context(), 1); err != nil || len(list) == 0 {
		t.Fatalf("Waiting() = %d, %v, want one", len(list), err)
	}
	if err := db.Postpone(t.Context(), []int64{list[0].Ref}, time.Unix(2e9, 0), "down"); err != nil {
		t.Fatalf("Postpone(): %v", err)
	}
}

// fixtureTick is the scheduled time of the run in the files from version 3 on.
func fixtureTick() time.Time { return time.Unix(1e9, 0).UTC() }

// fixtureJobs runs a job, which fails, and leaves work behind.
func fixtureJobs(t *testing.T, db *sqlite.DB) {
	t.Helper()
	if _, began, err := db.BeginJob(t.Context(), memory.JobClaim{Job: "tidy", Tick: fixtureTick(), Owner: "test", Lasting: time.Minute}); err != nil || !began {
		t.Fatalf("BeginJob() = %v, %v, want true", began, err)
	}
	if err := db.EndJob(t.Context(), memory.JobEnd{Job: "tidy", Owner: "test", Failure: "down", RetryAt: time.Unix(2e9, 0)}); err != nil {
		t.Fatalf("EndJob(): %v", err)
	}
	if err := db.AddWork(t.Context(), memory.Work{Kind: "note", Key: "s", Payload: []byte("payload")}); err != nil {
		t.Fatalf("AddWork(): %v", err)
	}
}

func checkFixtureJobs(t *testing.T, db *sqlite.DB) {
	t.Helper()
	states, err := db.JobStates(t.Context())
	if err != nil || len(states) != 1 || states[0].LastError != "down" || !states[0].Tick.Equal(fixtureTick()) {
		t.Errorf("JobStates() = %+v, %v, want the failed run", states, err)
	}
	w, found, err := db.ClaimWork(t.Context(), "note", "test", time.Minute)
	if err != nil || !found || w.Key != "s" || string(w.Payload) != "payload" {
		t.Errorf("ClaimWork() = %+v, %v, %v, want the item", w, found, err)
	}
}

// TestFailedMigration applies a migration that fails half-way: the file stays at
// its version, with nothing of the migration in it, and works.
func TestFailedMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	db := open(t, sqlite.Options{Path: path})
	say(t, db, "hello")
	before := schema(t, db.Readers())
	scripts := fstest.MapFS{}
	for number := range sqlite.LatestVersion() {
		scripts[fmt.Sprintf("migrations/%04d_done.sql", number+1)] = &fstest.MapFile{Data: []byte("this is not read again")}
	}
	next := fmt.Sprintf("migrations/%04d_next.sql", sqlite.LatestVersion()+1)
	scripts[next] = &fstest.MapFile{Data: []byte("CREATE TABLE half(x); DELETE FROM messages; INSERT INTO nowhere VALUES(1);")}
	if err := db.Migrate(t.Context(), scripts); err == nil || !strings.Contains(err.Error(), filepath.Base(next)) {
		t.Errorf("Migrate(a bad script) = %v, want an error that names it", err)
	}
	if got := schema(t, db.Readers()); !slices.Equal(got, before) {
		t.Errorf("schema after a failed migration =\n%s\nwant it unchanged", strings.Join(got, "\n"))
	}
	say(t, db, "hello again")
	if got := search(t, open(t, sqlite.Options{Path: path}), "hello"); got != 2 {
		t.Errorf("Match(hello) after a failed migration = %d hits, want 2", got)
	}
	scripts[next].Data = []byte("CREATE TABLE whole(x);")
	for range 2 { // the second time there is nothing to do
		if err := db.Migrate(t.Context(), scripts); err != nil {
			t.Errorf("Migrate(a good script): %v", err)
		}
	}
	if got := schema(t, db.Readers()); len(got) != len(before)+1 {
		t.Errorf("schema after a good migration has %d parts, want one more than %d", len(got), len(before))
	}
}
