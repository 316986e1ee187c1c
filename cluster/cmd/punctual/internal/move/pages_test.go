package move

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented returns the flags that docs/cluster.md gives the command, with other servers, after it
// has made sure that the comment of the package gives the same.
func documented(t testing.TB, from, to string) []string {
	t.Helper()
	page, err := os.ReadFile("../../../../../docs/cluster.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^punctual move (.*)$`).FindSubmatch(page)
	require.NotNil(t, line)
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	require.Contains(t, string(comment), string(line[0]))
	flags := strings.Fields(string(line[1]))
	for i, flag := range flags {
		switch flag {
		case "nats://old:4222":
			flags[i] = from
		case "nats://a:4222":
			flags[i] = to
		}
	}
	return flags
}
