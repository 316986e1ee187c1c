package snippets

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is a line of a table about Java.
type row struct {
	section string
	cells   []string
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func spans(cell string) (found []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		found = append(found, m[1])
	}
	return found
}

// rowsOf returns the rows of all tables of a page but their heads.
func rowsOf(t *testing.T, page string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = heading
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Java |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, row{section, cells})
	}
	return rows
}

// javaType is what the lists in testdata say of a type.
type javaType struct {
	above []string        // its supertypes that have a section as well
	names map[string]bool // whether it has the method itself, or else inherits it
}

// javaTypes reads the list that testdata/Methods.java has made on a JDK 17, and that of what has
// come later, and of Spring, which is from their documentation.
func javaTypes(t *testing.T) map[string]javaType {
	t.Helper()
	types := map[string]javaType{}
	for _, file := range []string{"testdata/java-methods.txt", "testdata/later-methods.txt"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			dot := strings.LastIndex(fields[0], ".")
			name, last := fields[0][:dot], fields[0][dot+1:]
			if fields[1] == "is" {
				name = last
			}
			is, known := types[name]
			if !known {
				is.names = map[string]bool{}
			}
			if fields[1] == "is" {
				is.above = fields[2:]
			} else {
				is.names[last] = fields[1] != "inherited"
			}
			types[name] = is
		}
	}
	return types
}

// TestEachMethodHasItsRow wants a row for each method, in the section of its type; for what a type
// only inherits, that of a supertype will do.
func TestEachMethodHasItsRow(t *testing.T) {
	rows := map[string][]string{}
	for _, r := range rowsOf(t, "../java-methods.md") {
		rows[r.section] = append(rows[r.section], spans(r.cells[0])...)
	}
	types := javaTypes(t)
	for name, is := range types {
		for method, own := range is.names {
			stands := slices.Contains(rows[name], method)
			for _, above := range is.above {
				stands = stands || !own && slices.Contains(rows[above], method)
			}
			if !stands {
				t.Errorf("%s.%s has no row", name, method)
			}
		}
		for _, method := range rows[name] {
			if _, there := is.names[method]; !there {
				t.Errorf("there is no %s.%s", name, method)
			}
		}
		unique := slices.Compact(slices.Sorted(slices.Values(rows[name])))
		require.Len(t, unique, len(rows[name]), "two rows for one method of %s", name)
	}
	require.Len(t, rows, len(types), "each section is of a type that is listed")
}

func TestEachRowSaysWhatIsDifferent(t *testing.T) {
	for _, r := range rowsOf(t, "../java-methods.md") {
		require.Len(t, r.cells, 3, "%s: %q", r.section, r.cells)
		for _, cell := range r.cells {
			require.NotEmpty(t, cell, "%s: %q", r.section, r.cells)
		}
		require.NotEqual(t, "–", r.cells[2], "%s: %q", r.section, r.cells)
	}
}

func TestEachTypeHasSomeLinesOfCode(t *testing.T) {
	text, err := os.ReadFile("../java-methods.md")
	require.NoError(t, err)
	sections := strings.Split(string(text), "\n## ")[1:]
	require.Len(t, sections, len(javaTypes(t)))
	for _, section := range sections {
		require.Contains(t, section, "\n```go\n// ", strings.SplitN(section, "\n", 2)[0])
	}
}
