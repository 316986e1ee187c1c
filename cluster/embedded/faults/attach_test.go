package faults

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// submitAndHang is the life of a process that submits and then waits to be killed.
func submitAndHang(ctx context.Context, p *cluster.Pool, j *journal, n int) error {
	work := makeTasks(j, 2*time.Second).work
	for i := range n {
		f, err := cluster.Schedule(ctx, p, time.Second, work, input{N: i})
		if err != nil {
			return err
		}
		j.write(event{Kind: "accepted", ID: f.ID()})
	}
	j.write(event{Kind: "ready"})
	<-ctx.Done()
	return nil
}

// A process submits and is killed. Another attaches itself to its futures, before and after they
// have their outcomes.
func TestFuturesOutliveTheProcessThatSubmitted(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	submitter := ns.worker(workerConfig{Name: "S", Submit: 100})
	submitter.kill()
	p := ns.join(ctx)
	work := ns.tasks().work
	var fs []*cluster.Future[int]
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "accepted" {
			fs = append(fs, cluster.Attach(p, work, e.ID))
		}
	}
	require.Len(t, fs, 100)
	ns.worker(workerConfig{Name: "A"})
	ns.collect(ctx, fs, p)
	for i, f := range fs {
		v, err := cluster.Attach(p, work, f.ID()).Get(ctx)
		require.NoError(t, err)
		require.Equal(t, i, v)
	}
	requireSound(t, ns.dir)
}

// A worker that knows one task takes none of another.
func TestAWorkerTakesOnlyWhatItKnows(t *testing.T) {
	t.Parallel()
	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	ns.worker(workerConfig{Name: "old", Tasks: []string{"tick"}})
	f, err := cluster.Submit(ctx, p, ns.tasks().work, input{N: 3})
	require.NoError(t, err)
	time.Sleep(300 * time.Millisecond)
	ns.worker(workerConfig{Name: "new"})
	v, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, v)
	start := await(t, ns.dir, func(e event) bool { return e.Kind == "start" })
	require.Equal(t, "new", start.Who)
	require.Equal(t, 1, start.Attempt)
}

// The same trial with servers of other versions, which are built from their modules.
func TestOtherServerVersions(t *testing.T) {
	t.Parallel()
	if os.Getenv(forLong) == "" {
		t.Skip("only in the long set: it builds servers")
	}
	for _, version := range []string{"v2.12.1", "v2.14.0", "v2.15.2"} {
		t.Run(version, func(t *testing.T) {
			bin := t.TempDir()
			build := exec.Command("go", "install", "github.com/nats-io/nats-server/v2@"+version)
			build.Dir = t.TempDir()
			build.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
			out, err := build.CombinedOutput()
			require.NoError(t, err, string(out))
			ns := &nodes{t: t, dir: t.TempDir(), running: make([]*process, 1),
				binary: filepath.Join(bin, "nats-server")}
			ns.journal, err = openJournal(ns.dir, "trial")
			require.NoError(t, err)
			ns.configs = []nodeConfig{{Name: "node0", Dir: t.TempDir(), Port: freePorts(t, 1)[0]}}
			ns.start(0)
			ns.tryAll()
		})
	}
}

// tryAll tries what depends on the server most: series, kills, commands, cancels.
func (ns *nodes) tryAll() {
	t := ns.t
	ctx := testContext(t, 2*time.Minute)
	p, stranger := ns.join(ctx), ns.join(ctx)
	workers := map[string]*process{}
	for _, name := range names {
		workers[name] = ns.worker(workerConfig{Name: name, Series: 3, Period: time.Second,
			In: input{Sleep: 200 * time.Millisecond}})
	}
	fs := ns.scheduleMany(ctx, p, 500, 500*time.Millisecond, 4*time.Second)
	for i := range 100 {
		f, err := cluster.Schedule(ctx, p, time.Duration(300+i)*time.Millisecond, ns.tasks().work,
			input{N: i})
		require.NoError(t, err)
		ns.journal.write(event{Kind: "accepted", ID: f.ID()})
		_, err = f.Cancel(ctx)
		require.NoError(t, err)
		fs = append(fs, f)
	}
	victim := await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.Number == 3 })
	workers[victim.Who].kill()
	await(t, ns.dir, func(e event) bool { return e.Kind == "start" && e.ID == victim.ID && e.Attempt == 2 })
	ns.kill(0)
	time.Sleep(time.Second)
	ns.start(0)
	ns.collect(ctx, fs, stranger)
	s, err := cluster.AttachSeries(p, ns.tasks().tick, seriesName(0))
	require.NoError(t, err)
	require.NoError(t, s.Pause(ctx))
	require.NoError(t, s.Resume(ctx))
	require.NoError(t, s.Trigger(ctx))
	next, err := s.Next(ctx)
	require.NoError(t, err)
	await(t, ns.dir, func(e event) bool {
		return e.Kind == "start" && e.Series == seriesName(0) && e.Number > next.Number+1
	})
	require.NoError(t, s.Cancel(ctx))
	requireSound(t, ns.dir)
}
