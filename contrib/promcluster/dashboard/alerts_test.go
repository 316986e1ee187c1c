package dashboard_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/punctual-go/punctual/contrib/promcluster"
)

// rules is a file of rules, strictly as Prometheus has it.
type rules struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

type rule struct {
	Alert, Expr         string
	For                 time.Duration
	Labels, Annotations map[string]string
}

func loadAlerts(t *testing.T) (list []rule) {
	t.Helper()
	var r rules
	decoder := yaml.NewDecoder(bytes.NewReader(promcluster.Alerts))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&r))
	for _, g := range r.Groups {
		require.NotEmpty(t, g.Name)
		list = append(list, g.Rules...)
	}
	return list
}

// The alerts ask only for what there is, and their texts only for labels that their results have.
func checkAlerts(t *testing.T, there samples) {
	t.Helper()
	var names []string
	label := regexp.MustCompile(`\$labels\.(\w+)`)
	for _, r := range loadAlerts(t) {
		names = append(names, strings.TrimPrefix(r.Alert, "Punctual"))
		by := there.check(t, r.Expr)
		assert.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		assert.NotEmpty(t, r.Annotations["summary"], r.Alert)
		assert.NotEmpty(t, r.Annotations["description"], r.Alert)
		for _, text := range r.Annotations {
			for _, l := range label.FindAllStringSubmatch(text, -1) {
				assert.Contains(t, by, l[1], r.Alert)
			}
			_, err := template.New("").Funcs(template.FuncMap{"humanizeDuration": func(any) string { return "" }}).
				Parse("{{$labels := .}}{{$value := 1}}" + text)
			assert.NoError(t, err, r.Alert)
		}
	}
	assert.Equal(t, []string{"SeriesOverdue", "SeriesFailing", "FailedSetGrows", "TasksWait", "NobodyServes",
		"Healed", "FiguresStale", "FiguresMissing"}, names)
}
