package analyzer

import (
	"flag"
	"fmt"
	"os"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// suggest reports a finding with its fix, or with the reason for which there is none. A command
// that is to write fixes reports nothing, so there the reason goes to the standard error.
func (s *search) suggest(d analysis.Diagnostic, fix analysis.SuggestedFix, why string) {
	if fix.TextEdits != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	}
	if why != "" {
		why = "not fixed: " + why
		d.Related = []analysis.RelatedInformation{{Pos: d.Pos, End: d.End, Message: why}}
		if asked("fix") {
			left.tell(fmt.Sprintf("%s: %s", s.Fset.Position(d.Pos), why))
		}
	}
	s.Report(d)
}

// preview tells whether the command only shows what it would write. Then it shows that also where
// nothing is missing but a pool.
func preview() bool { return asked("fix") && asked("diff") }

// asked tells whether the command has been given one of the flags of its driver.
func asked(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

// left is what has been told of findings that are left. A package and its test are looked at one
// by one, and at the same time.
var left notes

type notes struct {
	mu   sync.Mutex
	told map[string]bool
}

func (n *notes) tell(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = map[string]bool{}
	}
	if !n.told[line] {
		n.told[line] = true
		fmt.Fprintln(os.Stderr, line)
	}
}
