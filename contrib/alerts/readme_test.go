package alerts_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/alerts"
)

func TestTheReadmeQuotesTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, code, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "```")
	assert.Contains(t, string(example), code)
}

func TestTheReadmeHasEachFieldOfAnAlert(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	text, err := json.Marshal(alerts.Alert{Pool: "p", Task: "t", Since: time.Now(), Count: 1, Reason: "r"})
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	assert.Len(t, fields, 9)
	for name := range fields {
		assert.Contains(t, string(readme), "`"+name+"`")
	}
}
