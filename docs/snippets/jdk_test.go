package snippets

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheListIsThatOfTheJDK compares the list with the JDK that is here, if that is a 17: public
// and protected methods, with their signatures, and what they inherit.
func TestTheListIsThatOfTheJDK(t *testing.T) {
	java, err := exec.LookPath("java")
	if _, noCompiler := exec.LookPath("javac"); err != nil || noCompiler != nil {
		t.Skip("NOT COMPARED with a JDK: there are no java and javac on the PATH")
	}
	version, err := exec.Command(java, "-version").CombinedOutput()
	require.NoError(t, err)
	if !regexp.MustCompile(`version "17\b`).Match(version) {
		t.Skipf("NOT COMPARED with a JDK: the list is that of a 17, and this is %s", version)
	}
	text, err := os.ReadFile("testdata/java-methods.txt")
	require.NoError(t, err)
	args := []string{"testdata/Methods.java"}
	for line := range strings.Lines(string(text)) {
		if class, _, is := strings.Cut(strings.TrimSpace(line), " is"); is {
			args = append(args, class)
		}
	}
	out, err := exec.Command(java, args...).Output()
	require.NoError(t, err)
	require.Equal(t, string(out), string(text))
}
