// Package floors_test holds the house rules that no single package can check:
// which package may import which, and which one alone may touch a technology.
package floors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of this module.
const module = "mcp-memory"

// floors says of every package which packages of the module it may import. An
// arrow goes down, from a higher floor to a lower one, or sideways inside floor
// 0a; the engines of floor 1 never import each other, cmd joins them with
// function values. Tests are free: they may wire what they like.
//
// A new package gets a line here, and a line goes when its package goes. A new
// arrow is a decision: say in its commit why the two must know each other.
var floors = map[string][]string{
	// Floor 4: programs. mcp-memory wires everything and is the only one that
	// may know every package; membench drives the built program from outside
	// and only asks what a word is.
	"cmd/mcp-memory": {
		"server", "server/guard", "server/metrics", "server/rest", "server/site", "tools", "prompts",
		"memory/history", "memory/recall", "memory/summary", "memory/lessons", "memory/notes", "memory/notes/folder", "memory/transfer", "memory/extract",
		"memory/sqlite", "memory/embed", "memory/embed/static", "memory/index", "memory/openai", "memory/jobs", "memory/windows", "memory/budget",
		"memory", "memory/text", "memory/rank",
	},
	"cmd/membench": {"memory/text"},

	// Floor 3: the protocol. It hands calls to tools and reads sessions for
	// its resources.
	"server": {"tools", "prompts", "memory/history", "memory/notes", "memory", "memory/text"},

	// What stands before the server over HTTP: nothing of the program but
	// requests. And the tools as resources of JSON.
	"server/guard": {},
	"server/rest":  {"server/guard", "tools", "memory"},
	// Numbers of both, and all of it together on one port.
	"server/metrics": {"memory"},
	"server/site":    {"server", "server/guard", "server/rest"},

	// Floor 2: one file a tool; each calls one engine.
	"tools": {"prompts", "memory/history", "memory/recall", "memory/summary", "memory/lessons", "memory/notes", "memory/budget", "memory", "memory/text", "memory/tokens"},

	// Floor 1: the engines. Each declares the store it needs.
	"memory/history":  {"memory", "memory/text", "memory/rank", "memory/flight"},
	"memory/recall":   {"memory", "memory/text", "memory/rank"},
	"memory/lessons":  {"memory", "memory/text"},
	"memory/summary":  {"memory", "memory/text", "memory/flight", "prompts"},
	"memory/notes":    {"memory", "memory/text", "memory/rank", "prompts"},
	"memory/transfer": {"memory", "memory/text"},
	"memory/budget":   {"memory", "memory/limits", "memory/tokens", "prompts"},

	// Floor 0b: technology behind the ports of package memory.
	"memory/sqlite": {"memory", "memory/text"},
	"memory/embed":  {"memory", "memory/text", "memory/rank"},
	"memory/index":  {"memory"},
	"memory/openai": {"memory", "memory/limits"},
	"memory/jobs":   {"memory"},

	// How much a model takes at once: what is learnt, published and reported.
	"memory/windows": {"memory", "memory/limits"},

	// Work that several calls of an engine share.
	"memory/flight": {},

	// The workspace of the notes on the disk.
	"memory/notes/folder": {"memory"},

	// What can be said of a conversation without a model.
	"memory/extract": {"memory", "memory/text"},

	"memory/embed/static": {"memory"},
	// The contract of a store, run by the tests of each store. It reads like a
	// test and may therefore see the engines whose stores it checks.
	"memory/storetest": {"memory", "memory/text", "memory/history", "memory/recall", "memory/lessons", "memory/notes", "memory/summary", "memory/index", "memory/embed", "memory/openai", "memory/jobs", "memory/windows"},

	// Floor 0a: words, texts and arithmetic; nothing outside the program.
	"memory":        {},
	"memory/limits": {},
	"memory/tokens": {},
	"memory/text":   {"memory"},
	"memory/rank":   {"memory", "memory/text"},
	"prompts":       {},
}

// owners says which packages alone may import a technology: a path stands for
// itself and all below it.
var owners = map[string][]string{
	"database/sql":                     {"memory/sqlite"},
	"modernc.org/sqlite":               {"memory/sqlite"},
	"github.com/mark3labs/mcp-go":      {"tools", "server", "cmd/membench"},
	"github.com/openai/openai-go":      {"memory/openai"},
	"github.com/go-co-op/gocron":       {"memory/jobs"},
	"github.com/prometheus":            {"server/metrics"},
	"github.com/zricethezav/gitleaks":  {"memory/text"},
	"github.com/tiktoken-go/tokenizer": {"memory/tokens"},
}

// testOwners says which files alone, tests included, may import a technology
// that the program itself is built without.
var testOwners = map[string][]string{
	"github.com/asg017/sqlite-vec-go-bindings": {"memory/sqlite/compat_test.go"},
	"github.com/mattn/go-sqlite3":              {"memory/sqlite/compat_test.go"},
}

// source is what the rules look at of one file.
type source struct {
	dir         string // slash-separated, from the root of the module
	name        string
	test        bool
	imports     []string
	environment []string // uses of the environment, such as "os.Getenv"
}

// TestFloors fails on an import that goes up or sideways.
func TestFloors(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sources(t) {
		allowed, known := floors[s.dir]
		if !known && !seen[s.dir] {
			t.Errorf("package %s is not in the table of floors: add it with what it may import", s.dir)
		}
		seen[s.dir] = true
		if !known {
			continue
		}
		for _, imported := range s.imports {
			if target, ours := strings.CutPrefix(imported, module+"/"); ours && !slices.Contains(allowed, target) {
				t.Errorf("%s/%s imports %s: the table of floors does not allow %s → %s", s.dir, s.name, imported, s.dir, target)
			}
		}
	}
	for dir, targets := range floors {
		for _, d := range append([]string{dir}, targets...) {
			if !seen[d] {
				t.Errorf("the table of floors names %s, which is no package of the module: remove it", d)
			}
		}
	}
}

// TestOwners fails when a technology is used outside the package that wraps it.
func TestOwners(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for technology, allowed := range owners {
				if !belongs(imported, technology) {
					continue
				}
				used[technology] = true
				if !slices.Contains(allowed, s.dir) {
					t.Errorf("%s/%s imports %s: only %s may", s.dir, s.name, imported, strings.Join(allowed, ", "))
				}
			}
		}
	}
	for technology := range owners {
		if !used[technology] {
			t.Errorf("the table of owners names %s, which nothing imports: remove it", technology)
		}
	}
}

// TestTestOwners fails when a technology of a test is used anywhere else.
func TestTestOwners(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range files(t) {
		file := path.Join(s.dir, s.name)
		for _, imported := range s.imports {
			for technology, allowed := range testOwners {
				if !belongs(imported, technology) {
					continue
				}
				used[technology+" "+file] = true
				if !slices.Contains(allowed, file) {
					t.Errorf("%s imports %s: only %s may", file, imported, strings.Join(allowed, ", "))
				}
			}
		}
	}
	for technology, allowed := range testOwners {
		for _, file := range allowed {
			if !used[technology+" "+file] {
				t.Errorf("the table of test owners lets %s import %s, which it does not: remove it", file, technology)
			}
		}
	}
}

// belongs says whether an import path is that of a technology or below it.
func belongs(imported, technology string) bool {
	return imported == technology || strings.HasPrefix(imported, technology+"/")
}

// TestDomainImportsTheStandardLibraryOnly keeps package memory free of
// everything that has a version.
func TestDomainImportsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.dir != "memory" {
			continue
		}
		for _, imported := range s.imports {
			if first, _, _ := strings.Cut(imported, "/"); first == module || strings.Contains(first, ".") {
				t.Errorf("%s/%s imports %s: package memory imports the standard library only", s.dir, s.name, imported)
			}
		}
	}
}

// TestOnlyProgramsReadTheEnvironment keeps configuration in one place: what is
// below cmd is told what it needs.
func TestOnlyProgramsReadTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if len(s.environment) > 0 && !strings.HasPrefix(s.dir, "cmd/") {
			t.Errorf("%s/%s uses %s: only packages below cmd read the environment", s.dir, s.name, strings.Join(s.environment, ", "))
		}
	}
}

// sources parses every file of the module that is no test.
func sources(t *testing.T) []source {
	t.Helper()
	return slices.DeleteFunc(files(t), func(s source) bool { return s.test })
}

// files parses every file of the module, tests included. It goes by the files
// and not by the build, so that one that is left out on this platform counts.
func files(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && skipped(entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		s, err := parse(file)
		list = append(list, s)
		return err
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	if len(list) < 20 {
		t.Fatalf("read %d source files: the module has more, so this test does not run at its root", len(list))
	}
	return list
}

// skipped says whether the go command does not look into a directory either.
func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func parse(file string) (source, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	dir, name := path.Split(filepath.ToSlash(file))
	s := source{dir: path.Clean(dir), name: name, test: strings.HasSuffix(name, "_test.go")}
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, err
		}
		s.imports = append(s.imports, imported)
	}
	s.environment = environment(tree)
	return s, nil
}

// environment lists the calls by which a file reads the environment.
func environment(tree *ast.File) []string {
	var uses []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && (pkg.Name == "os" || pkg.Name == "syscall") &&
				slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, sel.Sel.Name) {
				uses = append(uses, pkg.Name+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return uses
}
