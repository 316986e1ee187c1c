// Package differential runs the same scripts on the JDK's executors, in real time on a grid, and on
// Punctual, in virtual time, and compares what happened.
//
//	PUNCTUAL_JDK=record go test -run TestRecord -timeout 0 ./executor/conformance/differential
//
// makes the recording anew, which the tests replay everywhere.
package differential

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clearSeeds returns the first n scripts from a seed on that have one outcome.
func clearSeeds(t *testing.T, from uint64, n int) (seeds []uint64, scripts []script) {
	t.Helper()
	for seed := from; len(seeds) < n; seed++ {
		s := generate(seed)
		if clear(t, s, virtual(t, s, nil)) {
			seeds, scripts = append(seeds, seed), append(scripts, s)
		}
	}
	return seeds, scripts
}

// A few scripts on the JDK that is here, if there is one. Beside other tests they would be disturbed.
func TestAgainstTheJDKThatIsHere(t *testing.T) {
	if os.Getenv("PUNCTUAL_JDK") != "live" {
		t.Skip("it takes some seconds of real time on a machine that does nothing else: PUNCTUAL_JDK=live")
	}
	java := jdk(t)
	_, scripts := clearSeeds(t, 1_000_000, 150)
	c := compare(t, java, scripts, 8, 75)
	require.Empty(t, c.differ)
	t.Logf("%d scripts, %d were run again; %d the machine has disturbed each time; named differences %v",
		len(scripts), c.again, c.disturbed, c.named)
}

// recorded is what the JDK has done with the scripts of some seeds.
type recorded struct {
	seed    uint64
	history string
}

const recording = "testdata/jdk17.gz"

// TestRecord makes the recording anew, if it is told to.
func TestRecord(t *testing.T) {
	if os.Getenv("PUNCTUAL_JDK") != "record" {
		t.Skip("it takes a quarter of an hour, a JDK, and PUNCTUAL_JDK=record")
	}
	java := jdk(t)
	seeds, scripts := clearSeeds(t, 0, 10_500)
	c := compare(t, java, scripts, 8, 150)
	var all []recorded
	for i, history := range c.histories {
		if history != "" {
			all = append(all, recorded{seeds[i], history})
		}
	}
	write(t, all)
	t.Logf("%d scripts recorded, %d were run again, %d were disturbed each time, %d are ambiguous; "+
		"named differences %v", len(all), c.again, c.disturbed, c.ambiguous, c.named)
	require.Empty(t, c.differ)
}

func write(t *testing.T, all []recorded) {
	t.Helper()
	f, err := os.Create(recording)
	require.NoError(t, err)
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	require.NoError(t, err)
	fmt.Fprintf(z, "generator %d %x\n", version, fingerprint())
	for _, r := range all {
		fmt.Fprintf(z, "%d %s\n", r.seed, shift(r.history, "@", "+", -1))
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}

// shift writes the instants of a history as differences, which compress better, or back.
func shift(history, from, to string, sign int) string {
	tokens, last := strings.Fields(history), 0
	for i, token := range tokens {
		what, text, ok := strings.Cut(token, from)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		tokens[i] = fmt.Sprint(what, to, n+sign*last)
		if last = n; sign > 0 {
			last, _ = strconv.Atoi(tokens[i][strings.Index(tokens[i], to)+1:])
		}
	}
	return strings.Join(tokens, " ")
}

// fingerprint changes with the scripts: the recording of another generator cannot be compared.
func fingerprint() []byte {
	h := sha256.New()
	for seed := range uint64(300) {
		fmt.Fprintln(h, generate(seed))
	}
	return h.Sum(nil)[:8]
}

func read(t *testing.T) (all []recorded) {
	t.Helper()
	f, err := os.Open(recording)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	require.Equal(t, fmt.Sprintf("generator %d %x", version, fingerprint()), lines.Text(),
		"the generator has changed since the recording: make it anew, see the package's comment")
	for lines.Scan() {
		seed, history, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseUint(seed, 10, 64)
		require.NoError(t, err)
		all = append(all, recorded{n, shift(history, "+", "@", 1)})
	}
	require.NoError(t, lines.Err())
	return all
}

// What the JDK has done, Punctual does, but for the differences that have a name.
func TestAgainstTheRecording(t *testing.T) {
	all := read(t)
	if testing.Short() {
		all = all[:len(all)/10]
	}
	events, named := 0, map[string]int{}
	for _, r := range all {
		s := generate(r.seed)
		here := virtual(t, s, nil)
		require.Empty(t, differences(s, r.history, here, named), "seed %d\nscript %s\nJava %s\nhere %s",
			r.seed, s, r.history, here)
		events += len(strings.Fields(here))
	}
	t.Logf("%d scripts, %d events, named differences %v", len(all), events, named)
	if !testing.Short() {
		require.GreaterOrEqual(t, len(all), 10_000)
		require.GreaterOrEqual(t, events, 500_000)
	}
}

// A pool that is not quite Java's is found out: one with a worker more, and one that drops what it is
// late with.
func TestWhatDiffersIsFound(t *testing.T) {
	for name, change := range map[string]func(*script){
		"a worker more": func(s *script) { s.core++; s.most++ },
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
		"another policy of shutdown": func(s *script) { s.delayed = !s.delayed; s.periodic = !s.periodic },
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			for _, r := range read(t)[:500] {
				s := generate(r.seed)
				changed := s
				changed.commands = slices.Clone(s.commands)
				change(&changed)
				if len(differences(s, r.history, virtual(t, changed, nil), map[string]int{})) > 0 {
					found++
				}
			}
			require.Greater(t, found, 15)
		})
	}
}
