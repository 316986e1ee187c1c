package bars

import (
	"errors"
	"fmt"
	"strings"
)

// A bar is a figure of a house that may only get smaller.
type bar struct {
	name    string
	counts  string // what the figure is
	limit   int    // today's figure
	measure func(*house) (figure, error)
}

// judge returns what is wrong with a figure, the figure itself in the first line.
func (b bar) judge(f figure) error {
	switch {
	case f.value > b.limit:
		return fmt.Errorf("%s: %d, above the limit of %d (%s)\n%s",
			b.name, f.value, b.limit, b.counts, f)
	case f.value < b.limit:
		return fmt.Errorf("%s: %d, below the limit of %d: lower it to %d in table.go",
			b.name, f.value, b.limit, f.value)
	}
	return nil
}

// A figure is a number, and what it consists of, the greatest part first.
type figure struct {
	value int
	parts []string
}

// shown is how many parts of a figure are shown.
const shown = 25

func (f figure) String() string {
	var text strings.Builder
	for i, part := range f.parts {
		if i == shown {
			fmt.Fprintf(&text, "\t… and %d more\n", len(f.parts)-shown)
			break
		}
		text.WriteString("\t" + part + "\n")
	}
	return text.String()
}

// errNothing is returned where there is nothing to measure: then the table names what is gone.
var errNothing = errors.New("nothing to measure: correct the table")
