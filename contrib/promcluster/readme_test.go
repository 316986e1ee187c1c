package promcluster_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/promcluster"
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

// described returns all metrics, each with its labels.
func described(t *testing.T) map[string][]string {
	t.Helper()
	c, err := promcluster.New(promcluster.Options{}, new(cluster.Pool))
	require.NoError(t, err)
	descs := make(chan *prometheus.Desc, 100)
	c.Describe(descs)
	close(descs)
	all := map[string][]string{}
	parts := regexp.MustCompile(`fqName: "(\w+)".*variableLabels: {([\w,]*)}`)
	for desc := range descs {
		found := parts.FindStringSubmatch(desc.String())
		require.Len(t, found, 3, desc)
		all[found[1]] = strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' })
	}
	return all
}

// The README has a row for each metric, with its labels, and no other.
func TestTheReadmeNamesEveryMetric(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	documented := map[string][]string{}
	name, label := regexp.MustCompile("^\\| `(punctual_\\w+)`"), regexp.MustCompile("`(\\w+)`")
	for row := range strings.Lines(string(readme)) {
		found := name.FindStringSubmatch(row)
		if found == nil {
			continue
		}
		cells := strings.Split(row, "|")
		labels := []string{}
		for _, l := range label.FindAllStringSubmatch(cells[2], -1) {
			labels = append(labels, l[1])
		}
		documented[found[1]] = labels
	}
	all := described(t)
	require.Len(t, documented, len(all))
	for name, labels := range all {
		require.Contains(t, documented, name)
		assert.True(t, slices.Equal(labels, documented[name]), "%s: %q and %q", name, labels, documented[name])
	}
}
