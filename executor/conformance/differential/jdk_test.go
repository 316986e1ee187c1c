package differential

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// jdk finds the java command; a comparison that wants one is skipped without.
func jdk(t *testing.T) string {
	t.Helper()
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("no java on the PATH: the comparison with the JDK that is here is left out")
	}
	return java
}

// onTheJDK runs scripts on the JDK in real time, with so many milliseconds for an instant, so many
// scripts at a time. The history of one that the machine has disturbed each time is empty.
func onTheJDK(t *testing.T, java string, scripts []script, grid, parallel int) []string {
	t.Helper()
	var in bytes.Buffer
	for _, s := range scripts {
		fmt.Fprintln(&in, s)
	}
	cmd := exec.Command(java, "-XX:+UseSerialGC", fmt.Sprintf("-Dgrid=%d", grid),
		fmt.Sprintf("-Dparallel=%d", parallel), "testdata/Differential.java")
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	histories := make([]string, len(scripts))
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	answered := 0
	for lines.Scan() {
		number, history, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		answered++
		if history != "!" {
			histories[n] = history
		}
	}
	require.Equal(t, len(scripts), answered, stderr.String())
	return histories
}

// comparison is what came of scripts on both.
type comparison struct {
	histories []string // on the JDK; empty if the machine disturbed the script each time
	disturbed int
	again     int // scripts that were run again, as they differed
	ambiguous int // scripts that turned out to have several outcomes, and are left out
	named     map[string]int
	differ    []string // what no name explains, and comes again
}

// compare runs scripts on the JDK and here. What differs is run again, on a coarser grid: a machine
// that stands still for an instant shifts what happens by one, and only a difference that comes
// again is one.
func compare(t *testing.T, java string, scripts []script, grid, parallel int) comparison {
	t.Helper()
	c := comparison{histories: make([]string, len(scripts)), named: map[string]int{}}
	here := make([]string, len(scripts))
	left := make([]int, len(scripts))
	for i, s := range scripts {
		here[i], left[i] = virtual(t, s, nil), i
	}
	for round := 1; round <= 4 && len(left) > 0; round++ {
		todo := make([]script, len(left))
		for i, n := range left {
			todo[i] = scripts[n]
		}
		var next []int
		c.differ, c.disturbed = nil, 0
		for i, history := range onTheJDK(t, java, todo, round*grid, max(parallel/round, 1)) {
			n := left[i]
			if history == "" {
				c.disturbed++
				next = append(next, n)
				continue
			}
			c.histories[n] = history
			if d := differences(scripts[n], history, here[n], map[string]int{}); len(d) > 0 {
				if round == 4 && possible(t, scripts[n], history) {
					c.ambiguous++
					c.histories[n] = ""
					continue
				}
				c.differ = append(c.differ, fmt.Sprintf("%v\nscript %s\nJava %s\nhere %s", d, scripts[n], history, here[n]))
				next = append(next, n)
				continue
			}
			differences(scripts[n], history, here[n], c.named)
		}
		if round == 1 {
			c.again = len(next)
		}
		left = next
	}
	return c
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
