package differential

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded is what the JDK has done with the script of a seed.
type recorded struct {
	seed    uint64
	script  script
	history string
}

const recording = "testdata/jdk17.gz"

func write(t *testing.T, all []recorded) {
	t.Helper()
	f, err := os.Create(recording)
	require.NoError(t, err)
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	require.NoError(t, err)
	fmt.Fprintln(z, fingerprint(t, all))
	for _, r := range all {
		fmt.Fprintf(z, "%d %s\n", r.seed, shift(r.history, "@", "+", -1))
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
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
	made := lines.Text()
	for lines.Scan() {
		seed, history, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseUint(seed, 10, 64)
		require.NoError(t, err)
		all = append(all, recorded{n, generate(n), shift(history, "+", "@", 1)})
	}
	require.NoError(t, lines.Err())
	require.Equal(t, made, fingerprint(t, all), "the generator or the program in Java has changed "+
		"since the recording: record again, see the package's comment")
	return all
}

// fingerprint changes with any script of a recording, and with the program that ran them: what
// another generator or program has made cannot be compared.
func fingerprint(t *testing.T, all []recorded) string {
	t.Helper()
	h := sha256.New()
	source, err := os.ReadFile("testdata/Differential.java")
	require.NoError(t, err)
	h.Write(comments.ReplaceAll(source, nil))
	for _, r := range all {
		fmt.Fprintln(h, r.seed, r.script)
	}
	return fmt.Sprintf("generator %d %x", version, h.Sum(nil)[:8])
}

// comments of the program may change.
var comments = regexp.MustCompile(`(?m)^\s*(//|/?\*).*\n| // .*$|\r`)

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
		shifted := n + sign*last
		tokens[i] = what + to + strconv.Itoa(shifted)
		if last = n; sign > 0 {
			last = shifted
		}
	}
	return strings.Join(tokens, " ")
}
