package pairs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/internal/trust/pairs"
)

// users are the types whose methods users call; the others have values that are only read.
var users = []string{
	"Pool", "ScheduledPool", "ScheduledFuture", "Handle", "Serial", "Keyed", "Group",
	"CompletionService", "Queue", "Loop", "Turn", "Future", "Book",
}

func TestEveryExportedFeatureHasAGenerator(t *testing.T) {
	exported := slices.Concat(
		namesIn(t, "../../../executor"), namesIn(t, "../../../executor/bulk"),
		namesIn(t, "../../../executor/serial"), namesIn(t, "../../../executor/eventloop"),
		namesIn(t, "../../../executor/insight"), namesIn(t, "../../../executor/queue"),
		namesIn(t, "../../../executor/rejection"), namesIn(t, "../../../executor/retry"),
		namesIn(t, "../../../executor/fallback"),
		namesIn(t, "../../../executor/state"),
		namesIn(t, "../../../future"),
	)
	slices.Sort(exported)
	exported = slices.Compact(exported) // the future of package fallback has some of the same names
	if len(exported) < 150 {
		t.Fatalf("only %d exported names were found", len(exported))
	}
	covered := pairs.Covered()
	for _, name := range exported {
		if covered[name] == "" {
			t.Errorf("%s is new: give it a generator in package pairs, or a reason in inventory.go",
				name)
		}
		delete(covered, name)
	}
	for name, by := range covered {
		t.Errorf("%s is not exported any more, but covered by %s", name, by)
	}
}

// namesIn returns the exported functions and methods of a package, and the fields of Observer
// and Config.
func namesIn(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			names = append(names, namesOf(file.Name.Name, d)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func namesOf(pkg string, d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return nil
		}
		if d.Recv == nil {
			return []string{pkg + "." + d.Name.Name}
		}
		if on := receiver(d.Recv.List[0].Type); slices.Contains(users, on) ||
			pkg == "rejection" && on == "Task" {
			return []string{on + "." + d.Name.Name}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			s, ok := s.(*ast.TypeSpec)
			if ok && (s.Name.Name == "Observer" || pkg == "insight" && s.Name.Name == "Config") {
				return fieldsOf(s)
			}
		}
	}
	return nil
}

func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

func fieldsOf(s *ast.TypeSpec) (names []string) {
	for _, f := range s.Type.(*ast.StructType).Fields.List {
		for _, n := range f.Names {
			names = append(names, s.Name.Name+"."+n.Name)
		}
	}
	return names
}

func TestFewPairsAreLeftOut(t *testing.T) {
	all := len(pairs.Pairs()) + len(pairs.Excluded())
	if len(pairs.Excluded())*10 > all {
		t.Errorf("%d of %d pairs are left out", len(pairs.Excluded()), all)
	}
}
