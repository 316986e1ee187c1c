package run

import (
	"context"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// While a goroutine settles tasks on behalf of an owner, or tells of what has been settled, the
// owner does not end: whoever sees its end finds all futures settled, all told, and all counted. So
// a callback that waits there for the end of the owner would wait for itself. The owner knows such
// goroutines, and refuses that wait.
//
//	none  -> named   SettlesLocked
//	named -> none    EndSettling
//	named -> open    disownSettling: a callback ends the goroutine, and another is to go on
//	open  -> named   adoptSettling, by the other

// A caller who cancels a task settles its future first, and then has the owner hear of it, under
// the lock. If the owner comes upon the task in between, it must not end before the caller has
// come, who is to count the task, or to tell of it. So it counts both, those that it has found
// cancelled and the callers who have come, and does not end as long as there are more of the
// former. A task that the caller itself takes out of the queue is found by nobody, and is not
// counted here.

// FoundCancelledLocked is called when the owner has come upon n tasks that callers have cancelled:
// where it was to begin or to drop them, or at the end of a run. The lock is held.
func (o *Owner) FoundCancelledLocked(n int) { o.awaited += n }

// CancellerCameLocked is called by a caller whose task the owner has found cancelled, or is to
// find. The lock is held.
func (o *Owner) CancellerCameLocked() { o.awaited-- }

// EndedLocked is called at the end of a run that is the last, whatever has ended the task. The lock
// is held.
func (o *Owner) EndedLocked(c *cell.Cell) {
	if c.Phase() == cell.Cancelled {
		o.FoundCancelledLocked(1)
	}
}

// open stands for a settling that has no goroutine at the moment. No goroutine has this identity.
const open = 0

// SettlesLocked begins a settling of the calling goroutine. It may be in several. The lock is held.
func (o *Owner) SettlesLocked() { o.settling = append(o.settling, goid.Current()) }

// Settles is SettlesLocked for a caller who does not hold the lock. It returns what ends it.
func (o *Owner) Settles() (end func()) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	o.SettlesLocked()
	return o.EndSettling
}

// EndSettling ends one that the calling goroutine has begun, which the end of the owner may have
// waited for. The lock is not held.
func (o *Owner) EndSettling() {
	o.Lock.Lock()
	i := slices.Index(o.settling, goid.Current())
	o.settling = slices.Delete(o.settling, i, i+1)
	o.Lock.Unlock()
	o.Settled()
}

// disownSettling is called by a goroutine that ends, and adoptSettling by the one that goes on.
func (o *Owner) disownSettling() { o.changeSettling(goid.Current(), open) }
func (o *Owner) adoptSettling()  { o.changeSettling(open, goid.Current()) }

func (o *Owner) changeSettling(from, to uint64) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	o.settling[slices.Index(o.settling, from)] = to
}

// SettleElsewhereLocked has f called on another goroutine, in a settling. The lock is held.
func (o *Owner) SettleElsewhereLocked(f func()) {
	o.settling = append(o.settling, open)
	go func() {
		o.adoptSettling()
		defer o.EndSettling()
		f()
	}()
}

// SettlingLocked returns how many settlings are in progress, those included that callers are about
// to begin. The lock is held.
func (o *Owner) SettlingLocked() int { return len(o.settling) + max(o.awaited, 0) }

// Outlives reports whether the owner cannot end before the caller goes on: the calling goroutine is
// in a settling, or ctx is certain to end only with a task of the owner.
func (o *Owner) Outlives(ctx context.Context) bool {
	if cell.EndsWith(ctx, o.Owns) { // without the lock: it calls methods of ctx
		return true
	}
	id := goid.Current()
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return slices.Contains(o.settling, id)
}
