package inspectcluster_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
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

func TestWhatMakesNoPanel(t *testing.T) {
	assert.Panics(t, func() { inspectcluster.New(nil, inspectcluster.Options{}) })
	for _, opts := range []inspectcluster.Options{{OverdueBy: -1}, {DueFor: -time.Second}, {Refresh: -1}} {
		assert.Panics(t, func() { inspectcluster.New(new(cluster.Pool), opts) })
	}
}
