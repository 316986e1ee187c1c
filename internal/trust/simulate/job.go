package simulate

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/future"
)

// job is a task of a program: it takes its time, and makes calls. All that is random about it is
// drawn when it is made; the lock of the simulation guards its history.
type job struct {
	program   *program
	id        int
	name      string
	on        *host
	ancestors []*job // those who may be blocked until it has ended, itself the last
	depth     int

	bare         bool          // without a future
	unnamed      bool          // without a name
	waitsForRoom bool          // its submitter waits for room
	delay        time.Duration // of one with a time
	takes        time.Duration // before its calls
	calls        []*call
	rest         time.Duration // after them
	ends         bodyEnd
	onRejection  *call // of the policy, if there is no room for it
	beforeRun    *call // of the hook before its run
	afterRun     *call // of that after it

	cancellable bool // it may be cancelled
	parentWaits bool // the run that has submitted it does not end before it has

	future *future.Future[int]

	accepted    bool
	submitted   bool          // its submitter knows that
	readyAt     time.Duration // when it was due, as well
	due         time.Duration // it may begin
	delivered   bool          // its future, by a completion service
	inHook      bool          // it is in a hook, or was
	reported    bool
	begun       int
	inBody      bool
	ended       bool
	endedAt     time.Duration
	interrupted bool            // its run may have been ended from outside
	ctx         context.Context // of its run
}

// scope is the context of the run.
func (j *job) scope() scope { return scope{ctx: j.ctx, endsWith: []*job{j}, onBehalf: []*job{j}} }

// String describes j for faults.
func (j *job) String() string {
	text := fmt.Sprintf("%d on %s", j.id, j.on.name)
	if len(j.ancestors) > 1 {
		text += fmt.Sprintf(" below %d", j.ancestors[len(j.ancestors)-2].id)
	}
	return text
}

// settled reports whether the future of j, which may have none, is settled.
func (j *job) settled() bool {
	if j.future == nil {
		return j.ended
	}
	return j.future.State().Settled()
}

// runLive reports whether the context of the run of j has not ended, for certain or perhaps; the
// lock is held.
func (j *job) runLive() (certainly, perhaps bool) {
	now := j.program.now()
	return j.inBody && !j.interrupted, j.inBody || j.inHook || j.begun > 0 &&
		(j.endedAt == now || !j.program.exact())
}
