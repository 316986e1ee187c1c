package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The server waits for the first of its schedules by a timer of its monotonic clock, and sets that
// anew only for a schedule which comes earlier. If its wall clock is set forward, or its machine
// was suspended, what is due by then waits until that timer has fired, which may take as long as
// the first schedule was away; and so does all that is scheduled meanwhile.
//
// So there always is a schedule that is close, which says nothing: a sentinel. Those who serve
// store it anew before it is due, in place of the last one. It bounds the wait, by sentinelAhead.
const (
	sentinelEvery = 4 * time.Second
	sentinelAhead = 9 * time.Second
)

// sentinel is its place. No task has such a token.
var sentinel = place{"=.o.sentinel"}

// keepSentinel stores the sentinel until ctx ends.
func (p *Pool) keepSentinel(ctx context.Context) {
	for ; ctx.Err() == nil; sleep(ctx, sentinelEvery) {
		if err := p.storeSentinel(ctx); err != nil && ctx.Err() == nil {
			p.logger.Debug("sentinel not stored", "pool", p.settings.name, "error", err)
		}
	}
}

// storeSentinel stores the sentinel, unless another process has just done so: the server recognizes
// it by the ID.
func (p *Pool) storeSentinel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sentinelEvery)
	defer cancel()
	m := p.message(sentinel, p.now().Add(sentinelAhead+headStart))
	m.Header.Set(jetstream.MsgIDHeader,
		fmt.Sprint("sentinel ", p.now().Truncate(sentinelEvery).Unix()))
	ack, err := p.js.PublishMsg(ctx, m)
	if err != nil || ack.Duplicate {
		return err
	}
	// It has fired if nobody served for a while.
	fired, err := p.last(ctx, p.on.run(sentinel))
	if err == nil && fired != nil {
		_, err = p.takeOut(ctx, fired.Sequence)
	}
	return err
}

// sentinels counts the messages of a stream's state that are sentinels.
func (p *Pool) sentinels(state jetstream.StreamState) uint64 {
	return state.Subjects[p.on.arm(sentinel)] + state.Subjects[p.on.run(sentinel)]
}
