package dashboard_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/promcluster"
)

// dashboard is what the tests read of it.
type dashboard struct {
	Title, UID string
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Panels []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               struct{ UID string }
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct{ RefID, Expr, LegendFormat string }
}

func load(t *testing.T) (d dashboard) {
	t.Helper()
	require.NoError(t, json.Unmarshal(promcluster.Dashboard, &d))
	return d
}

// samples has the names that can be asked for, and the values that each label of theirs has.
type samples map[string]map[string][]string

// sampledFrom are those of a scrape that has a point of every metric.
func sampledFrom(fs families) samples {
	found := samples{}
	for name, f := range fs {
		found.add(name, f)
	}
	return found
}

func (s samples) add(name string, f *dto.MetricFamily) {
	s[name] = map[string][]string{}
	for _, m := range f.Metric {
		for _, l := range m.Label {
			s[name][l.GetName()] = append(s[name][l.GetName()], l.GetValue())
		}
	}
}

// query puts something in the place of Grafana's variables.
func query(expr string) string {
	return strings.NewReplacer("$pool", ".*", "$task", ".*", "$__rate_interval", "5m", "$__range", "1h").Replace(expr)
}

// check checks a query: all that it names is there.
func (s samples) check(t *testing.T, expr string) (by []string) {
	t.Helper()
	parsed, err := metricsql.Parse(query(expr))
	require.NoError(t, err, expr)
	labels, asked := map[string]bool{}, 0
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		if m, ok := e.(*metricsql.MetricExpr); ok {
			asked++
			s.checkMetric(t, expr, m, labels)
		}
	})
	assert.NotZero(t, asked, expr)
	metricsql.VisitAll(parsed, func(e metricsql.Expr) {
		if a, ok := e.(*metricsql.AggrFuncExpr); ok {
			for _, label := range a.Modifier.Args {
				assert.True(t, labels[label], "%s: no metric has the label %q", expr, label)
				by = append(by, label)
			}
		}
	})
	return by
}

func (s samples) checkMetric(t *testing.T, expr string, m *metricsql.MetricExpr, labels map[string]bool) {
	t.Helper()
	require.Len(t, m.LabelFilterss, 1, expr)
	name := m.LabelFilterss[0][0].Value
	require.Equal(t, "__name__", m.LabelFilterss[0][0].Label)
	require.Contains(t, s, name, expr)
	for label := range s[name] {
		labels[label] = true
	}
	for _, f := range m.LabelFilterss[0][1:] {
		values, ok := s[name][f.Label]
		assert.True(t, ok, "%s: %s has no label %q", expr, name, f.Label)
		matches := regexp.MustCompile("^(?:" + f.Value + ")$")
		assert.True(t, slices.ContainsFunc(values, matches.MatchString), "%s: no %s is %q", expr, f.Label, f.Value)
	}
}

// The dashboard asks only for what there is.
func checkDashboard(t *testing.T, there samples) {
	t.Helper()
	legend := regexp.MustCompile(`{{(\w+)}}`)
	for _, p := range load(t).Panels {
		for _, target := range p.Targets {
			by := there.check(t, target.Expr)
			for _, label := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				assert.Contains(t, by, label[1], target.Expr)
			}
		}
	}
}

// Its variables are labels of metrics.
func checkVariables(t *testing.T, there samples) {
	t.Helper()
	values := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)
	var names []string
	for _, v := range load(t).Templating.List {
		names = append(names, v.Name)
		if v.Type != "query" {
			continue
		}
		parts := values.FindStringSubmatch(v.Definition)
		require.Len(t, parts, 3, v.Definition)
		assert.Equal(t, v.Name, parts[2])
		there.check(t, "max by ("+parts[2]+") ("+parts[1]+")")
	}
	assert.Equal(t, []string{"datasource", "pool", "task"}, names)
}

func TestTheDashboardIsInOrder(t *testing.T) {
	d := load(t)
	assert.Equal(t, "Punctual: cluster", d.Title)
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range d.Panels {
		assert.NotEmpty(t, p.Description, p.Title)
		assert.NotEmpty(t, p.Targets, p.Title)
		assert.Equal(t, "${datasource}", p.Datasource.UID, p.Title)
		assert.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		refs := map[string]bool{}
		for _, target := range p.Targets {
			assert.False(t, refs[target.RefID], p.Title)
			refs[target.RefID] = true
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				assert.Empty(t, taken[at], "%s lies on it", p.Title)
				taken[at] = p.Title
			}
		}
	}
}

// A query for something else is found.
func checkTheCheck(t *testing.T, there samples) {
	t.Helper()
	for _, expr := range []string{
		`punctual_cluster_healed`, `punctual_cluster_up{queue="x"}`, `sum by (task) (punctual_cluster_up)`,
		`punctual_cluster_tasks{state="lost"}`, `rate(punctual_cluster_healed_total[5m]`,
	} {
		probe := new(testing.T)
		done := make(chan struct{})
		go func() { // require ends the goroutine
			defer close(done)
			there.check(probe, expr)
		}()
		<-done
		assert.True(t, probe.Failed(), expr)
	}
}
