package prompunctual_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
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

func TestTheReadmeNamesEveryMetric(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := expand(string(text))
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, executor.Watch(insight.Config{ExplainLate: ms}))
		playEverything(t, p)
		found := scrape(t, registryOf(t, prompunctual.Options{}, p))
		assert.NotEmpty(t, found)
		for name := range found {
			assert.Contains(t, readme, name)
		}
	})
}

// expand writes out what a README puts in braces.
func expand(text string) string {
	for {
		before, rest, found := strings.Cut(text, "_{")
		choices, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return text
		}
		end := strings.IndexByte(after, '`')
		var all []string
		for choice := range strings.SplitSeq(choices, ",") {
			stem := before[strings.LastIndexByte(before, '`')+1:]
			all = append(all, stem+"_"+choice+after[:end])
		}
		text = before + " " + strings.Join(all, " ") + after[end:]
	}
}
