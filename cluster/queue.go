package cluster

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The queue is its own ledger: what is stored on it, and has no outcome, is what is still to do.
//
//	nothing -> stored    before Submit returns
//	stored  -> stored    a task that has to wait again, see restore.go: a newer message is in its place
//	stored  -> over      a task: its outcome is recorded; a link of a series: what follows is stored
//	over    -> removed   by its sequence
//
// So nothing but the end of a task takes it out. It is a stream that keeps all messages, and no
// work queue, which drops what the server takes for acknowledged: the server has been wrong about
// that, see cancel.go, and will be again. What its consumer has forgotten is stored still, and is
// found there, see sweep.go.
//
// The removal ends the delivery as well. It comes after all else, so a process that dies before it
// leaves a message that is delivered once more, seen to be over, and removed. It is not
// acknowledged: what is acknowledged and not removed, as a process may die in between, would be a
// link in the way of all that come after it.

// accept stores a task, perhaps in place of a failed one.
func (p *Pool) accept(
	ctx context.Context, at place, id string, due time.Time, payload []byte, redriven string,
) error {
	m := p.message(at, due)
	m.Data = payload
	if redriven != "" {
		m.Header.Set(headerRedriven, redriven)
	}
	m.Header.Set(jetstream.MsgIDHeader, id)
	return p.submissions.publish(ctx, m)
}
