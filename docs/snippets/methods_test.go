package snippets

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented returns the methods that have a row in the document, by class.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../java-methods.md")
	require.NoError(t, err)
	all := map[string][]string{}
	class := ""
	name := regexp.MustCompile("`(\\w+)`")
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			class = strings.TrimSpace(heading)
		}
		if cells := strings.Split(line, "|"); class != "" && len(cells) == 5 {
			for _, m := range name.FindAllStringSubmatch(cells[1], -1) {
				all[class] = append(all[class], m[1])
			}
		}
	}
	return all
}

// listed returns the public methods of the classes, as they were taken from a JDK 17; those of Spring
// are from its documentation.
func listed(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/java-methods.txt")
	require.NoError(t, err)
	all := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		class, methods, _ := strings.Cut(line, ":")
		all[class[strings.LastIndex(class, ".")+1:]] = strings.Fields(methods)
	}
	return all
}

func TestEachMethodHasItsRow(t *testing.T) {
	rows, want := documented(t), listed(t)
	for class, methods := range want {
		got := slices.Clone(rows[class])
		slices.Sort(got)
		require.Equal(t, methods, got, class)
	}
	require.Len(t, rows, len(want))
}

// The list is compared with the JDK that is here, if there is one.
func TestTheListIsThatOfTheJDK(t *testing.T) {
	javap, err := exec.LookPath("javap")
	if err != nil {
		t.Skip("no javap on the PATH: the list of methods is not compared with a JDK")
	}
	version, err := exec.Command(javap, "-version").CombinedOutput()
	require.NoError(t, err)
	if !strings.HasPrefix(string(version), "17.") {
		t.Skipf("the list is that of a JDK 17, and this is %s", version)
	}
	text, err := os.ReadFile("testdata/java-methods.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		class, methods, _ := strings.Cut(line, ":")
		if !strings.HasPrefix(class, "java.") {
			continue
		}
		require.Equal(t, strings.Fields(methods), methodsOf(t, javap, class), class)
	}
}

func methodsOf(t *testing.T, javap, class string) (names []string) {
	t.Helper()
	out, err := exec.Command(javap, "-public", class).Output()
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(` (\w+)\(`).FindAllStringSubmatch(string(out), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}
