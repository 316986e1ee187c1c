package differential

import (
	"bufio"
	"bytes"
	"fmt"
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
