package executor_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rows are the behaviours that this module answers for, by family. Of java.util.concurrent: the
// numbers of ScheduledThreadPoolExecutor (STPE), ThreadPoolExecutor (TPE), ExecutorService and its
// bulk operations (ES), ExecutorCompletionService (ECS), FutureTask (FT), and known bugs and
// complaints (K). Of the timers: java.util.Timer (TMR) and its tests (TMJ), the wheels of Netty
// (HWT), Kafka (KAFKA) and Akka (LARS), Netty's event loop (NETTYLOOP), Eureka's
// TimedSupervisorTask (TST). Of faults and misuse: arguments (A), what tasks do (B_, as B is
// taken), re-entrancy (C), cancellation and races (D), life cycle (E), time (F), load (G),
// observability (H). And real bugs of other schedulers, whose threads docs/rows.md names (B).
var rows = map[string]struct {
	format string
	ranges [][2]int
}{
	"STPE": {"STPE%03d", [][2]int{{1, 6}, {10, 26}, {30, 38}, {40, 52}, {60, 69}, {70, 77}, {80, 99}, {110, 120}, {130, 138}}},
	"TPE":  {"TPE%03d", [][2]int{{1, 17}, {20, 37}, {40, 48}, {50, 61}, {70, 87}}},
	"ES":   {"ES%03d", [][2]int{{1, 10}, {20, 26}, {30, 34}, {40, 45}, {50, 54}, {60, 64}, {70, 73}}},
	"ECS":  {"ECS%02d", [][2]int{{1, 24}}},
	"FT":   {"FT%03d", [][2]int{{1, 7}, {10, 12}, {18, 37}, {40, 49}}},
	"K":    {"K%02d", [][2]int{{1, 28}}},

	"TMR":       {"TMR%02d", [][2]int{{1, 22}}},
	"TMJ":       {"TMJ%02d", [][2]int{{1, 6}}},
	"HWT":       {"HWT%02d", [][2]int{{1, 25}}},
	"KAFKA":     {"KAFKA%02d", [][2]int{{1, 19}}},
	"LARS":      {"LARS%02d", [][2]int{{1, 21}}},
	"NETTYLOOP": {"NETTYLOOP%02d", [][2]int{{1, 25}}},
	"TST":       {"TST%02d", [][2]int{{1, 15}}},

	"A":  {"A%d", [][2]int{{1, 20}}},
	"B_": {"B_%d", [][2]int{{1, 17}}},
	"C":  {"C%d", [][2]int{{1, 12}}},
	"D":  {"D%d", [][2]int{{1, 11}}},
	"E":  {"E%d", [][2]int{{1, 13}}},
	"F":  {"F%d", [][2]int{{1, 10}}},
	"G":  {"G%d", [][2]int{{1, 11}}},
	"H":  {"H%d", [][2]int{{1, 5}}},
	"B":  {"B%d", [][2]int{{1, 55}}},
}

// TestEveryRowHasATestOrAReason keeps the promise that every row is either the name of a test or a
// line in the table of docs/rows.md that says why it has no counterpart in Go, and not both.
func TestEveryRowHasATestOrAReason(t *testing.T) {
	tested := idsOf(testNames(t))
	reasons := reasonsOf(t)
	total := 0
	for _, family := range rows {
		for _, r := range family.ranges {
			for n := r[0]; n <= r[1]; n++ {
				total++
				id := fmt.Sprintf(family.format, n)
				assert.True(t, tested[id] != reasons[id], "%s: tested %v, in the table %v", id, tested[id], reasons[id])
			}
		}
	}
	assert.Equal(t, 103+74+42+24+40+28+22+6+25+19+21+25+15+99+55, total)
}

// idsOf returns the parts of the names of tests, some of which are ids; those like B_1 are two
// parts.
func idsOf(names []string) map[string]bool {
	ids := map[string]bool{}
	for _, name := range names {
		parts := strings.Split(strings.TrimPrefix(name, "Test"), "_")
		for i, part := range parts {
			ids[part] = true
			ids[strings.Join(parts[i:min(i+2, len(parts))], "_")] = true
		}
	}
	return ids
}

func testNames(t *testing.T) (names []string) {
	test := regexp.MustCompile(`(?m)^func (Test\w*)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range test.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		return err
	}))
	return names
}

func reasonsOf(t *testing.T) map[string]bool {
	text, err := os.ReadFile("../docs/rows.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n## Rows without a counterpart\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	reasons := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ((?:STPE|TPE|ES|ECS|FT|K|TMR|TMJ|HWT|KAFKA|LARS|NETTYLOOP|TST)-\d+|B_\d+|[A-H]\d+) \| \S`).FindAllStringSubmatch(table, -1) {
		reasons[strings.ReplaceAll(m[1], "-", "")] = true
	}
	return reasons
}
