package catalogue_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// root is the module that the faults are put into, seen from here.
const root = "../../.."

func TestEveryFragmentIsInTheSourceOnce(t *testing.T) {
	for _, m := range catalogue.All() {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
		if err != nil {
			t.Errorf("%s: %v", m.ID, err)
			continue
		}
		mutated, err := m.Apply(source)
		if err != nil {
			t.Errorf("%s: %s: %v:\n%s", m.ID, m.File, err, m.From)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, mutated, parser.AllErrors); err != nil {
			t.Errorf("%s: what comes of it is not Go: %v", m.ID, err)
		}
	}
}

func TestEveryMutantHasANameAndAFaultOfItsOwn(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+-\d\d$`)
	ids, faults := map[string]bool{}, map[string]bool{}
	for _, m := range catalogue.All() {
		if !form.MatchString(m.ID) || ids[m.ID] {
			t.Errorf("%q is a bad id, or there twice", m.ID)
		}
		if m.Fault == "" || faults[m.Fault] {
			t.Errorf("%s: no fault, or one that is there twice: %q", m.ID, m.Fault)
		}
		ids[m.ID], faults[m.Fault] = true, true
	}
}

// A bug that others have published can be looked up.
func TestEveryPublishedMutantNamesItsSource(t *testing.T) {
	source := regexp.MustCompile(`^[\w.-]+/[\w.-]+#\d+$`)
	for _, m := range catalogue.All() {
		if is := m.Area() == "published"; is != source.MatchString(m.Seen) {
			t.Errorf("%s: seen in %q", m.ID, m.Seen)
		}
	}
}

// The core has no part that is left out.
func TestEveryAreaHasItsShare(t *testing.T) {
	number := map[string]int{}
	for _, m := range catalogue.All() {
		number[m.Area()]++
	}
	for area, least := range map[string]int{
		"leader": 8, "heap": 6, "wheel": 8, "future": 7, "shutdown": 7, "pool": 9, "time": 4,
		"published": 15, "shard": 15,
	} {
		if number[area] < least {
			t.Errorf("%s has %d mutants, and should have %d", area, number[area], least)
		}
	}
	if number["loop"]+number["supervisor"]+number["timer"] < 3 {
		t.Error("loop, supervisor and timer have fewer than 3 mutants")
	}
}

func TestAFragmentIsFoundHoweverItIsFormatted(t *testing.T) {
	const source = "package p\n\nfunc f(a int) {\n\tif a > 1 { // why\n\t\tg( a )\n\t}\n}\n"
	m := catalogue.Mutant{From: "if a>1 {\n\n g(a) }", To: "g(a)"}
	got, err := m.Apply([]byte(source))
	if want := "package p\n\nfunc f(a int) {\n\tg(a)\n}\n"; err != nil || string(got) != want {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestAFragmentThatIsNotThereOnceIsAnError(t *testing.T) {
	const source = "package p\n\nfunc f() { g(); g() }\n"
	for _, from := range []string{"h()", "g()", "", "'"} {
		if got, err := (catalogue.Mutant{From: from}).Apply([]byte(source)); err == nil {
			t.Errorf("%q: no error:\n%s", from, got)
		}
	}
}
