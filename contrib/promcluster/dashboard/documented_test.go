package dashboard_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/metrics"
)

// The page about the cluster has each metric, with its attributes, and each alert.
func TestThePageNamesEveryMetricAndAlert(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/cluster.md")
	require.NoError(t, err)
	for _, m := range metrics.Table() {
		found := 0
		for row := range strings.Lines(string(page)) {
			if cells := strings.Split(row, "|"); len(cells) > 3 && strings.Contains(cells[1], "`"+m.Name+"`") {
				found++
				want := ""
				for i, attribute := range m.Attributes[1:] {
					want += []string{"", ", "}[min(i, 1)] + "`" + attribute + "`"
				}
				assert.Equal(t, want, strings.TrimSpace(cells[2]), m.Name)
			}
		}
		assert.Equal(t, 1, found, m.Name)
	}
	for _, r := range loadAlerts(t) {
		assert.Contains(t, string(page), "`"+r.Alert+"`")
	}
}
