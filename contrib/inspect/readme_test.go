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
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	panels, err := os.ReadFile("example_panel_test.go")
	require.NoError(t, err)
	quotes := strings.Split(string(readme), "```go\n")
	require.Len(t, quotes, 5)
	for _, quote := range quotes[1:] {
		code, _, _ := strings.Cut(quote, "```")
		assert.Contains(t, string(examples)+string(panels), code)
	}
}
