package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// lines are the points of a metric.
func lines(families []Family, name string) (list []string) {
	for _, f := range families {
		for _, p := range f.Points {
			if f.Name == name {
				list = append(list, fmt.Sprint(strings.Join(p.Attributes[1:], "/"), " ", p.Value))
			}
		}
	}
	return list
}

// seen is one of everything.
func seen() *sight {
	now := time.Unix(1_800_000_000, 500_000_000)
	s := &sight{pool: "p", at: now,
		tasks: []cluster.TaskSummary{
			{Task: "a", Waiting: 1, Due: 2, Held: 3, Age: time.Minute, Repeated: 1, Workers: 2},
			{Task: "b", Waiting: 10, Held: 1},
		},
		stats: cluster.Stats{Stored: 17, Bytes: 1000, Failed: 4, Healed: 5,
			Tasks: []cluster.TaskStats{{Task: "a"}, {Task: "gone", Failed: 4}}},
		workers: []cluster.Worker{{Size: 8, Busy: 3}, {Size: 8, Busy: 9}, {Size: 2, Stopping: true}},
		series: cluster.SeriesStats{At: now,
			Tasks: []cluster.TaskSeriesStats{{Task: "a", Series: 3, Paused: 1, Overdue: 2, Failing: 1,
				Late: 1500 * time.Millisecond}},
			Worst: []cluster.SeriesRow{{Task: "a", Series: "x", Due: now.Add(-time.Hour)},
				{Task: "a", Series: "y", Due: now.Add(-time.Minute)}},
		},
	}
	s.name()
	return s
}

func TestTheTableTellsWhatWasSeen(t *testing.T) {
	families := seen().families()
	want := map[string][]string{
		"punctual.cluster.up":        {" 1"},
		"punctual.cluster.last_read": {" 1.8000000005e+09"},
		"punctual.cluster.tasks": {"a/waiting 1", "a/due 2", "a/held 3", "b/waiting 10", "b/due 0",
			"b/held 1"},
		"punctual.cluster.task.oldest":         {"a 60", "b 0"},
		"punctual.cluster.task.repeated":       {"a 1", "b 0"},
		"punctual.cluster.task.workers":        {"a 2", "b 0"},
		"punctual.cluster.task.failed":         {"a 0", "b 0", "gone 4"},
		"punctual.cluster.workers":             {"serving 2", "stopping 1"},
		"punctual.cluster.slots":               {"busy 11", "idle 7"},
		"punctual.cluster.series.count":        {"a/active 2", "a/paused 1"},
		"punctual.cluster.series.overdue":      {"a 2"},
		"punctual.cluster.series.failing":      {"a 1"},
		"punctual.cluster.series.lateness":     {"a 1.5"},
		"punctual.cluster.series.delay":        {"a/x 3600", "a/y 60"},
		"punctual.cluster.series.most_overdue": {" 3600"},
		"punctual.cluster.healed":              {" 5"},
		"punctual.cluster.stored.messages":     {" 17"},
		"punctual.cluster.stored.size":         {" 1000"},
	}
	require.Len(t, families, len(want))
	for i, m := range Table() {
		require.Equal(t, m, families[i].Metric)
		require.Equal(t, want[m.Name], lines(families, m.Name), m.Name)
		require.Regexp(t, `^[A-Z].*\.$`, m.Help, m.Name)
		require.Equal(t, "pool", m.Attributes[0])
		for _, p := range families[i].Points {
			require.Len(t, p.Attributes, len(m.Attributes), m.Name)
			require.Equal(t, "p", p.Attributes[0])
		}
	}
}

// Whatever there is and whatever it is called, the points are bounded, valid, and no two the same.
func TestPointsAreBounded(t *testing.T) {
	s := &sight{pool: "p\xff"}
	for i := range 300 {
		name := fmt.Sprintf("%03d\xff", i)
		s.tasks = append(s.tasks, cluster.TaskSummary{Task: name, Waiting: 1, Workers: 1})
		s.series.Tasks = append(s.series.Tasks, cluster.TaskSeriesStats{Task: name, Series: 1})
	}
	for _, name := range []string{"000\xfe", "000\uFFFD", "\x00", "ü\"}\n"} {
		s.tasks = append(s.tasks, cluster.TaskSummary{Task: name, Waiting: 1, Workers: 1})
		s.series.Worst = append(s.series.Worst, cluster.SeriesRow{Task: name, Series: "\xff"})
	}
	s.name()
	families := s.families()
	total := 0
	for _, f := range families {
		there := map[string]bool{}
		for _, p := range f.Points {
			key := strings.Join(p.Attributes, "\x00")
			require.False(t, there[key], "%s %q", f.Name, p.Attributes)
			there[key] = true
			require.True(t, utf8.ValidString(key))
		}
		total += len(f.Points)
	}
	require.Less(t, total, 2500)
	require.Contains(t, lines(families, "punctual.cluster.tasks"), "000\uFFFD/waiting 3")
	require.Contains(t, lines(families, "punctual.cluster.tasks"), "other/waiting 104")
	require.Contains(t, lines(families, "punctual.cluster.task.workers"), "other 1")
}
