package cluster

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// server is one that finds all streams.
type server struct{ jetstream.JetStream }

func (server) Stream(context.Context, string) (jetstream.Stream, error) { return nil, nil }

// mute is a bucket of which nobody tells anything.
type mute struct{ jetstream.KeyValue }

func (mute) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	return nil, nats.ErrNoResponders
}

// delivery is a run that was delivered.
type delivery struct {
	jetstream.Msg
	header    nats.Header
	givenBack time.Time
}

func (d *delivery) Headers() nats.Header { return d.header }

func (d *delivery) NakWithDelay(time.Duration) error {
	d.givenBack = time.Now()
	return nil
}

// Heartbeats keep a run with its process, so one that this process cannot claim would never be run
// by another.
func TestARunThatCannotBeClaimedWithinItsLeaseIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := link{do: doRun, name: "s", number: 1, due: time.Now(), cadence: cadence{kind: atRate, every: time.Second}}
		m := &delivery{header: nats.Header{}}
		l.write(m.header)
		stream := &laggard{queued: []showing{{sequence: 10, from: time.Now(), until: time.Now().Add(always)}}}
		p := &Pool{stream: stream, js: server{}, bucket: mute{}, on: subjectsOf("p")}
		p.settings.name, p.logger = "p", slog.New(slog.NewTextHandler(&log, nil))
		task := &definition{name: "t", lease: 10 * time.Second}
		w := &worker{pool: p, leases: &leases{held: map[uint64]*held{}}, window: newWindow(1),
			at: map[place][]*held{}, life: t.Context()}
		h := &held{worker: w, task: task, msg: m, at: seriesPlace("t", "s"), sequence: 10, delivered: 1}
		h.ctx, h.end = context.WithCancelCause(t.Context())
		w.hold(h)

		begun := time.Now()
		w.checkSeries(h)
		require.False(t, m.givenBack.IsZero())
		assert.GreaterOrEqual(t, m.givenBack.Sub(begun), task.lease)
		assert.Empty(t, w.leases.all())
		assert.Contains(t, log.String(), `for="claiming a run of a series"`)
		assert.Contains(t, log.String(), "no responders")
		assert.Contains(t, log.String(), "could not be claimed within its lease")
	})
}
