package differential

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// tally is what a recording has: scripts, starts and ends of runs, terminations of pools, and what
// commands and futures have said.
type tally struct{ scripts, starts, ends, terminations, answers, states int }

// What the recording has, and how many answers and states in it differ, by name. The page says so
// too: docs/differential.md.
var (
	inTheRecording = tally{scripts: 11_000, starts: 267_179, ends: 267_179, terminations: 7_409,
		answers: 68_697, states: 119_248}
	differing = map[string]int{settled: 47_514, running: 2_035, ended: 936, refused: 765}
)

// What the JDK has done, Punctual does, but for the differences that have a name; and those happen
// wherever they are due.
func TestAgainstTheRecording(t *testing.T) {
	all := read(t)
	if testing.Short() {
		all = all[:len(all)/10]
	}
	seen, shown, named := tally{}, coverage{}, map[string]int{}
	for _, r := range all {
		here := virtual(t, r.script, nil)
		require.Empty(t, differences(r.script, r.history, here, named),
			"seed %d\nscript %s\nJava %s\nhere %s", r.seed, r.script, r.history, here)
		java := parse(r.history)
		seen.add(java)
		shown.add(r.script, java)
	}
	t.Logf("%+v; scripts that show %v", seen, shown)
	if testing.Short() {
		return
	}
	require.Equal(t, inTheRecording, seen)
	require.Equal(t, differing, named)
	for what, least := range quotas {
		require.GreaterOrEqual(t, shown[what], least, what)
	}
}

func (y *tally) add(o outcome) {
	y.scripts++
	for _, e := range o.events {
		switch e.what {
		case 's':
			y.starts++
		case 'e':
			y.ends++
		default:
			y.terminations++
		}
	}
	for key := range o.results {
		if key[0] == 'f' {
			y.states++
		} else {
			y.answers++
		}
	}
}

// Where a difference has a name it is not only allowed: what does as Java does is found out.
func TestANamedDifferenceHasToHappen(t *testing.T) {
	for _, r := range read(t) {
		differ := map[string]int{}
		unexplained := differences(r.script, r.history, r.history, differ)
		total := 0
		for _, n := range differ {
			total += n
		}
		require.Len(t, unexplained, total, "seed %d", r.seed)
	}
}

// A pool that is not quite Java's is found out.
func TestWhatDiffersIsFound(t *testing.T) {
	all := read(t)[:500]
	for name, change := range map[string]func(*script){
		"a worker more":     func(s *script) { s.core++; s.most++ },
		"room for one more": func(s *script) { s.capacity++ },
		"another policy of shutdown": func(s *script) {
			s.delayed = !s.delayed
			s.periodic = !s.periodic
		},
		"another policy for lack of room": func(s *script) {
			s.policy = (s.policy + 1) % (discardOldest + 1)
		},
		"periods that are longer": func(s *script) {
			for i, c := range s.commands {
				if c.op == rate {
					s.commands[i].n[1] += phases
				}
			}
		},
		"cancels that do nothing": func(s *script) {
			for i, c := range s.commands {
				if c.op == cancel {
					s.commands[i].n[0] = i
				}
			}
		},
		"failures that are caught": func(s *script) {
			for i, c := range s.commands {
				if c.task() {
					s.commands[i] = c.succeeding()
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			for _, r := range all {
				changed := r.script
				changed.commands = slices.Clone(r.script.commands)
				change(&changed)
				here := virtual(t, changed, nil)
				if len(differences(r.script, r.history, here, map[string]int{})) > 0 {
					found++
				}
			}
			t.Logf("in %d scripts", found)
			require.Greater(t, found, 15)
		})
	}
}
