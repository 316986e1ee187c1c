package differential

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// comparison is what came of scripts on both.
type comparison struct {
	scripts   []script
	here      []string
	histories []string // on the JDK; empty if it says nothing
	disturbed int      // scripts that the machine has disturbed each time
	again     int      // scripts that were run again, as they differed
	ambiguous int      // scripts that turned out to have several outcomes
	named     map[string]int
	differ    []string // what no name explains, and comes again
}

func (c *comparison) String() string {
	return fmt.Sprintf("%d scripts, %d were run again, %d were disturbed each time, "+
		"%d are ambiguous; named differences %v",
		len(c.scripts), c.again, c.disturbed, c.ambiguous, c.named)
}

// check wants no differences, and that nearly all scripts have been compared.
func (c *comparison) check(t *testing.T) {
	t.Helper()
	require.Empty(t, c.differ)
	require.LessOrEqual(t, c.disturbed, len(c.scripts)/25, "disturbed")
	require.LessOrEqual(t, c.ambiguous, len(c.scripts)/50, "ambiguous")
	for _, name := range []string{settled, running, ended, refused} {
		require.NotZero(t, c.named[name], "nothing is %s", name)
	}
}

// rounds is how often a script is run that differs.
const rounds = 6

// compare runs scripts on the JDK and here. What differs is run again, on a coarser grid: a machine
// that stands still for an instant shifts what happens by one, and only a difference that comes
// again is one.
func compare(t *testing.T, java string, scripts []script, grid, parallel int) *comparison {
	t.Helper()
	c := &comparison{scripts: scripts, here: make([]string, len(scripts)),
		histories: make([]string, len(scripts)), named: map[string]int{}}
	left := make([]int, len(scripts))
	for i, s := range scripts {
		c.here[i], left[i] = virtual(t, s, nil), i
	}
	for round := 1; round <= rounds && len(left) > 0; round++ {
		todo := make([]script, len(left))
		for i, n := range left {
			todo[i] = scripts[n]
		}
		var next []int
		c.differ, c.disturbed = nil, 0
		for i, history := range onTheJDK(t, java, todo, round*grid, max(parallel/round, 1)) {
			if !c.agree(t, left[i], history, round == rounds) {
				next = append(next, left[i])
			}
		}
		if round == 1 {
			c.again = len(next)
		}
		left = next
	}
	return c
}

// agree takes what the JDK has done with a script, and tells whether that is the end of it.
func (c *comparison) agree(t *testing.T, n int, history string, last bool) bool {
	t.Helper()
	c.histories[n] = history
	if history == "" {
		c.disturbed++
		return false
	}
	named := map[string]int{}
	d := differences(c.scripts[n], history, c.here[n], named)
	switch {
	case len(d) == 0:
		for name, count := range named {
			c.named[name] += count
		}
		return true
	case last && possible(t, c.scripts[n], history):
		c.ambiguous++
		c.histories[n] = ""
		return true
	}
	c.differ = append(c.differ, fmt.Sprintf("%v\nscript %s\nJava %s\nhere %s", d, c.scripts[n],
		history, c.here[n]))
	return false
}

// possible tells whether a script may come out here as it did in Java, if things are a little late.
func possible(t *testing.T, s script, java string) bool {
	t.Helper()
	for i := range uint64(2000) {
		here := virtual(t, s, rand.New(rand.NewPCG(i, 11)))
		if len(differences(s, java, here, map[string]int{})) == 0 {
			return true
		}
	}
	return false
}
