package inspect_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheReadmeQuotesTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var examples string
	for _, name := range []string{"example_test.go", "example_fleet_test.go", "example_panel_test.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		examples += string(text)
	}
	quotes := strings.Split(string(readme), "```go\n")
	require.Len(t, quotes, 9)
	for _, quote := range quotes[1:] {
		code, _, _ := strings.Cut(quote, "```")
		assert.Contains(t, examples, code)
	}
}
