package faults

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// plant returns a way to cancel a task that has the server forget others, see
// TestTheServerForgetsWhatIsBelowARollUp: its run is rolled up before.
func (ns *nodes) plant() func(context.Context, *cluster.Future[int]) {
	conn := ns.connect()
	return func(ctx context.Context, f *cluster.Future[int]) {
		roll := nats.NewMsg("punctual.tasks.run.work.o." + f.ID())
		roll.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
		roll.Data = []byte("{}")
		ns.journal.write(event{Kind: "rolls up", ID: f.ID()})
		_, _ = conn.RequestMsgWithContext(ctx, roll) // among other faults it may have no answer
		ns.journal.write(event{Kind: "rolled up", ID: f.ID()})
		ns.cancel(ctx, f)
	}
}

// toldForgotten is what the log says of something that is healed.
const toldForgotten = "the server had forgotten a message; what it says goes on"

// awaitStuck waits until the server has nothing of a task to deliver, and hears of nothing any
// more, though there is something on the queue without an outcome: it returns the IDs of that. It
// looks twice: a server that has just begun to lead may not have counted yet what it is to deliver.
func (ns *nodes) awaitStuck(ctx context.Context) []string {
	var before []string
	for range 100 {
		time.Sleep(100 * time.Millisecond)
		ids, quiet := ns.lookForStuck(ctx)
		switch {
		case !quiet:
			before = nil
		case before == nil:
			before = ids
			time.Sleep(time.Second)
		default:
			return slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(before, id) })
		}
	}
	return nil
}

// lookForStuck returns what is on the queue without an outcome, if the server has nothing to
// deliver.
func (ns *nodes) lookForStuck(ctx context.Context) (ids []string, quiet bool) {
	js := jetStream(ns.t, ns)
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(ns.t, err)
	consumer, err := js.Consumer(ctx, "PUNCTUAL_tasks", "work")
	require.NoError(ns.t, err)
	if info := consumer.CachedInfo(); info.NumPending > 0 || info.NumAckPending > 0 {
		return nil, false
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.*.work.>"))
	require.NoError(ns.t, err)
	bucket, err := js.KeyValue(ctx, "PUNCTUAL_tasks")
	require.NoError(ns.t, err)
	ids = []string{}
	for subject := range info.State.Subjects {
		_, id, _ := strings.Cut(subject, ".work.o.")
		ends, err := bucket.ListKeysFiltered(ctx, "end.*."+id)
		require.NoError(ns.t, err)
		ended := false
		for range ends.Keys() {
			ended = true
		}
		if !ended {
			ids = append(ids, id)
		}
	}
	return ids, true
}

// The server forgets again and again what was accepted, as three workers are deployed by turns:
// three servers have it stored, none of them delivers it, and there it would stay. The sweep, and
// nothing else, brings it back, says so and counts it.
func TestWhatTheServerForgetsDuringADeployIsHealed(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	t.Parallel()
	ns := startNodes(t, 3)
	ctx := testContext(t, 4*time.Minute)
	r := &rolling{nodes: ns, pool: ns.join(ctx), of: 3, cancel: ns.plant()}
	var fs []*cluster.Future[int]
	var stuck []string
	for range 6 { // it does not forget something each time
		fs = append(fs, r.roll(ctx, 8*time.Second)...)
		if stuck = ns.awaitStuck(ctx); len(stuck) > 0 {
			break
		}
	}
	require.NotEmpty(t, stuck, "the server has forgotten nothing")
	for _, f := range fs {
		v, err := f.Get(ctx)
		ns.saw(f.ID(), v, err)
	}
	requireSound(t, ns.dir)
	stats, err := r.pool.Stats(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, stats.Healed, uint64(len(stuck)))
	told := map[string]bool{}
	for _, e := range readJournals(t, ns.dir) {
		if e.Kind == "log" && e.Text == toldForgotten {
			told[e.ID] = true
		}
	}
	for _, id := range stuck {
		require.Contains(t, told, id)
	}
	t.Logf("%d of %d healed, %d of them at the end", stats.Healed, len(fs), len(stuck))
}

// The same among all other faults.
func TestWhatTheServerForgetsAmongFaultsIsHealed(t *testing.T) {
	if os.Getenv(forLong) == "" {
		t.Skip("only in the long set")
	}
	t.Parallel()
	(&campaign{seed: 1, lasts: 40 * time.Second, planted: true}).run(t)
}
