package faults

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// clocked is a server whose clock can be set while it runs.
type clocked struct {
	*nodes
	off     string // the file that says by how many seconds it is off
	workers map[string]*process
}

func startClocked(t *testing.T, binary string) *clocked {
	t.Helper()
	c := &clocked{nodes: planNodes(t, 1), off: filepath.Join(t.TempDir(), "off"),
		workers: map[string]*process{}}
	c.set(0)
	c.binary, c.args = binary, []string{"-off", c.off}
	c.start(0)
	return c
}

// set has the server's clock be off by some seconds.
func (c *clocked) set(seconds int) {
	c.t.Helper()
	beside := c.off + ".new"
	require.NoError(c.t, os.WriteFile(beside, []byte(strconv.Itoa(seconds)), 0o600))
	require.NoError(c.t, os.Rename(beside, c.off))
}

// What the overlay of package time has in place of what is there.
var clockOverlay = []struct{ was, is string }{
	{"\"math/bits\"\n", "\"math/bits\"\n\t\"sync/atomic\"\n"},
	{"sec, nsec, mono := runtimeNow()\n", "sec, nsec, mono := runtimeNow()\n\tsec += off.Load()\n"},
	{"\n// Now returns", "\nvar off atomic.Int64\n\n" +
		"func SetOff(seconds int64) { off.Store(seconds) }\n\n// Now returns"},
}

// buildClocked builds the server, with a package time of which Now is off by what SetOff says.
func buildClocked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	original := filepath.Join(strings.TrimSpace(string(out)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	require.NoError(t, err)
	text := string(source)
	for _, change := range clockOverlay {
		require.Contains(t, text, change.was, "package time of this version of Go is another")
		text = strings.Replace(text, change.was, change.is, 1)
	}
	replaced, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(replaced, []byte(text), 0o600))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replaced}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	binary := filepath.Join(dir, "server")
	out, err = exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./testdata/clock").
		CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// The clock of a server is set while it runs, by an hour.
func TestAServersClockIsSet(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a server")
	}
	binary := buildClocked(t)
	for name, trial := range map[string]func(*testing.T, *clocked){
		"forward, and what is planned": setForward,
		"back, and series":             setBack,
		"forward, and a claim":         claimedAndSetForward,
		"back, and a claim":            claimedAndSetBack,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trial(t, startClocked(t, binary))
		})
	}
}

// A server waits by its monotonic clock: when the other is set forward, what is due by then, and
// what is scheduled after that, waits for the next schedule of its timer. There always is a close
// one.
func setForward(t *testing.T, c *clocked) {
	ctx := testContext(t, time.Minute)
	var log logged
	p := c.join(ctx, log.option())
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	serving(t, p, task)
	later, err := cluster.Schedule(ctx, p, time.Hour, task, 1)
	require.NoError(t, err)
	queue, err := jetStream(t, c.nodes).Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	awaitSentinel(ctx, t, queue)
	c.set(3600)
	n, err := later.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for range 3 {
		soon, err := cluster.Schedule(ctx, p, time.Second, task, 2)
		require.NoError(t, err)
		_, err = soon.Get(ctx)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "has gone forward") },
		20*time.Second, 50*time.Millisecond)
}

// When it is set back, all that was planned would be silent until it comes there again. A series at
// a rate, or with a delay, goes on, whether it waited, or was in a run; no number is left out, and
// no ID comes twice. One that waits for its first run keeps its time.
func setBack(t *testing.T, c *clocked) {
	ctx := testContext(t, time.Minute)
	var log logged
	p := c.join(ctx, log.option())
	runs := make(chan cluster.Run, 1000)
	held := make(chan struct{})
	task := cluster.Define("tick", func(ctx context.Context, long bool) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		runs <- run
		if long && run.Number == 1 {
			<-held
		}
		return 0, nil
	})
	serving(t, p, task)
	declare := func(name string, initial time.Duration, long bool) {
		_, err := cluster.AtFixedRate(ctx, p, name, initial, time.Second, task, long)
		require.NoError(t, err)
	}
	declare("rate", 0, false)
	declare("long", 0, true)
	declare("first", 10*time.Minute, false)
	_, err := cluster.WithFixedDelay(ctx, p, "delay", 0, time.Second, task, false)
	require.NoError(t, err)
	counts, ids := map[string]uint64{}, map[string]bool{}
	awaitRuns := func(n uint64, names ...string) {
		for {
			enough := true
			for _, name := range names {
				enough = enough && counts[name] >= n
			}
			if enough {
				return
			}
			select {
			case run := <-runs:
				counts[run.Series]++
				require.Equal(t, counts[run.Series], run.Number, run.Series)
				require.False(t, ids[run.ID], run.ID)
				ids[run.ID] = true
			case <-ctx.Done():
				require.Fail(t, "series are silent", "%v\n%s", counts, log.String())
			}
		}
	}
	awaitRuns(3, "rate", "delay")
	awaitRuns(1, "long")
	c.set(-3600)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "has gone back") },
		20*time.Second, 50*time.Millisecond)
	close(held)
	awaitRuns(6, "rate", "delay")
	awaitRuns(4, "long")
	require.Zero(t, counts["first"])
}

// A claim is as old as its worker has been silent, whatever the clock shows. When that is set
// forward, no run is taken from a worker that lives.
func claimedAndSetForward(t *testing.T, c *clocked) {
	begun := inLongRuns(t, c)
	first := begun(1, 1)
	time.Sleep(theLease / 2) // it has renewed its claim
	c.set(3600)
	begun(2, 1)
	for _, e := range readJournals(t, c.dir) {
		require.False(t, e.Kind == "start" && e.Number == 1 && e.Attempt > 1, "%v took over from %v",
			e.Who, first.Who)
	}
}

// When the clock is set back, what a dead worker had is run by another, as soon as its lease is
// over. It has to have said once that it lives since: the server takes what is in hand for as long
// as its own clock shows.
func claimedAndSetBack(t *testing.T, c *clocked) {
	begun := inLongRuns(t, c)
	first := begun(1, 1)
	c.set(-3600)
	time.Sleep(theLease)
	c.workers[first.Who].kill()
	require.NotEqual(t, first.Who, begun(1, 2).Who)
}

// inLongRuns has three workers run a series, whose runs take several leases, and returns what waits
// for an attempt of one.
func inLongRuns(t *testing.T, c *clocked) (begun func(number uint64, attempt int) event) {
	for _, name := range names {
		c.workers[name] = c.worker(workerConfig{Name: name})
	}
	ctx := testContext(t, time.Minute)
	_, err := cluster.AtFixedRate(ctx, c.join(ctx), "s", 0, time.Second, c.tasks().tick,
		input{Sleep: 4 * theLease})
	require.NoError(t, err)
	return func(number uint64, attempt int) event {
		return await(t, c.dir, func(e event) bool {
			return e.Kind == "start" && e.Number == number && e.Attempt == attempt
		})
	}
}
