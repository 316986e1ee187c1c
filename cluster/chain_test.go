package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// laggard answers as the leader of a stream does that has a message later than the replica that has
// delivered it. Each question takes a millisecond.
type laggard struct {
	jetstream.Stream
	queued, armed []showing
	removed       []uint64 // by their sequences
}

// showing is a message that shows from and until a moment of the test.
type showing struct {
	sequence    uint64
	from, until time.Time
	header      nats.Header
}

func (l *laggard) DeleteMsg(_ context.Context, sequence uint64) error {
	l.removed = append(l.removed, sequence)
	l.queued = slices.DeleteFunc(l.queued, func(m showing) bool { return m.sequence == sequence })
	return nil
}

const always = 24 * time.Hour

func (l *laggard) GetMsg(
	_ context.Context, from uint64, _ ...jetstream.GetMsgOpt,
) (*jetstream.RawStreamMsg, error) {
	return answer(from, l.queued)
}

func (l *laggard) GetLastMsgForSubject(
	_ context.Context, subject string,
) (*jetstream.RawStreamMsg, error) {
	if strings.Contains(subject, ".arm.") {
		return answer(0, backwards(l.armed))
	}
	return answer(0, backwards(l.armed), backwards(l.queued))
}

func backwards(list []showing) []showing {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// answer is a message that shows, from a sequence on: the first of a list, and the newest of those.
func answer(from uint64, lists ...[]showing) (newest *jetstream.RawStreamMsg, err error) {
	time.Sleep(time.Millisecond)
	now := time.Now()
	for _, list := range lists {
		for _, m := range list {
			if m.sequence >= from && !now.Before(m.from) && now.Before(m.until) {
				if newest == nil || m.sequence > newest.Sequence {
					newest = &jetstream.RawStreamMsg{Sequence: m.sequence, Header: m.header}
				}
				break
			}
		}
	}
	if newest == nil {
		return nil, jetstream.ErrMsgNotFound
	}
	return newest, nil
}

// A link that was delivered, and does not show, or not any more.
func TestAwaitTurn(t *testing.T) {
	const own = 10
	show := func(sequence uint64, from, until time.Duration) showing {
		return showing{sequence: sequence, from: time.Now().Add(from), until: time.Now().Add(until)}
	}
	for _, test := range []struct {
		name   string
		stream func() *laggard
		mine   bool
		err    error
		waits  time.Duration // at least
	}{
		{name: "it is the first", mine: true, stream: func() *laggard {
			return &laggard{queued: []showing{show(own, 0, always)}}
		}},
		{name: "it shows later", mine: true, waits: time.Second, stream: func() *laggard {
			return &laggard{queued: []showing{show(own, time.Second, always)}}
		}},
		{name: "it shows later, and until then the schedule from which it came", mine: true,
			waits: time.Second, stream: func() *laggard {
				return &laggard{queued: []showing{show(own, time.Second, always)},
					armed: []showing{show(own-1, 0, time.Second)}}
			}},
		{name: "one is before it", mine: true, waits: time.Hour, stream: func() *laggard {
			return &laggard{queued: []showing{show(own-1, 0, time.Hour), show(own, 0, always)}}
		}},
		{name: "one is before it, which ends before it shows", mine: true, waits: time.Hour + time.Second,
			stream: func() *laggard {
				return &laggard{queued: []showing{show(own-1, 0, time.Hour),
					show(own, time.Hour+time.Second, always)}}
			}},
		{name: "a later one is in its place", stream: func() *laggard {
			return &laggard{queued: []showing{show(own+1, 0, always)}}
		}},
		{name: "what follows it waits for its time", stream: func() *laggard {
			return &laggard{armed: []showing{show(own+1, 0, always)}}
		}},
		{name: "it does not show at all", err: errNotShown, waits: patience,
			stream: func() *laggard { return &laggard{} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{pool: &Pool{stream: test.stream(), on: subjectsOf("p")}}
				h := &held{worker: w, ctx: t.Context(), at: seriesPlace("t", "s"), sequence: own}
				begun := time.Now()
				mine, err := w.awaitTurn(h)
				require.ErrorIs(t, err, test.err)
				require.Equal(t, test.mine, mine)
				require.GreaterOrEqual(t, time.Since(begun), test.waits)
			})
		})
	}
}

// A tombstone does not wait for what is before it: it is removed, by its sequence. But what does
// not show yet has to come first.
func TestATombstoneRemovesWhatIsBeforeIt(t *testing.T) {
	const own = 10
	for _, late := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			now := time.Now()
			var queue []showing
			for i := range uint64(3) {
				queue = append(queue, showing{sequence: own - 2 + i, from: now.Add(late), until: now.Add(always)})
			}
			stream := &laggard{queued: queue}
			w := &worker{pool: &Pool{stream: stream, on: subjectsOf("p")}}
			h := &held{worker: w, ctx: t.Context(), at: seriesPlace("t", "s"), sequence: own, tombstone: true}
			first, err := w.awaitTurn(h)
			require.NoError(t, err)
			require.True(t, first)
			require.Equal(t, []uint64{own - 2, own - 1}, stream.removed)
			require.GreaterOrEqual(t, time.Since(now), late)
		})
	}
}

// A run is over if a tombstone is anywhere behind it. A command that was given while it was under
// way only tells what is to follow.
func TestSupersededByATombstoneBehindCommands(t *testing.T) {
	const own = 10
	header := func(l link) nats.Header {
		h := nats.Header{}
		l.cadence = cadence{kind: atRate, every: time.Second}
		l.write(h)
		return h
	}
	tombstone := nats.Header{headerEnd: []string{"1"}}
	during := header(link{do: doPause, number: 2, follows: own})
	again := header(link{do: doArm, number: 1})
	for name, test := range map[string]struct {
		behind []nats.Header
		want   bool
	}{
		"nothing":                              {nil, false},
		"a command":                            {[]nats.Header{during}, false},
		"two commands":                         {[]nats.Header{during, during}, false},
		"a tombstone":                          {[]nats.Header{tombstone}, true},
		"a command and a tombstone":            {[]nats.Header{during, tombstone}, true},
		"a tombstone, and it is declared anew": {[]nats.Header{during, tombstone, again}, true},
		"a link of another run":                {[]nats.Header{header(link{do: doRun, number: 2})}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				until := time.Now().Add(always)
				queue := []showing{{sequence: own, until: until}}
				for i, h := range test.behind {
					queue = append(queue, showing{sequence: own + 1 + uint64(i), until: until, header: h})
				}
				w := &worker{pool: &Pool{stream: &laggard{queued: queue}, on: subjectsOf("p")}}
				h := &held{worker: w, ctx: t.Context(), at: seriesPlace("t", "s"), sequence: own}
				got, err := w.superseded(h)
				require.NoError(t, err)
				require.Equal(t, test.want, got)
			})
		})
	}
}

// What follows a run moves from its schedule to the queue, or is run and followed in turn, at any
// moment while the run is asked about: it is found.
func TestSupersededWhileThingsMove(t *testing.T) {
	const own = 10
	for _, test := range []struct {
		name   string
		stream func(moved time.Time) *laggard
		want   bool
	}{
		{"nothing follows", func(time.Time) *laggard {
			return &laggard{queued: []showing{{sequence: own, until: time.Now().Add(always)}}}
		}, false},
		{"the schedule falls due", func(moved time.Time) *laggard {
			return &laggard{armed: []showing{{sequence: own + 1, until: moved}},
				queued: []showing{{sequence: own + 2, from: moved, until: moved.Add(always)}}}
		}, true},
		{"the next run ends", func(moved time.Time) *laggard {
			return &laggard{queued: []showing{{sequence: own + 1, until: moved}},
				armed: []showing{{sequence: own + 2, from: moved, until: moved.Add(always)}}}
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for moment := range 10 {
				synctest.Test(t, func(t *testing.T) {
					moved := time.Now().Add(time.Duration(moment) * time.Millisecond / 2)
					w := &worker{pool: &Pool{stream: test.stream(moved), on: subjectsOf("p")}}
					h := &held{worker: w, ctx: t.Context(), at: seriesPlace("t", "s"), sequence: own}
					got, err := w.superseded(h)
					require.NoError(t, err)
					require.Equal(t, test.want, got, moment)
				})
			}
		})
	}
}
