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
func (s *Settling) FoundCancelledLocked(n int) { s.awaited += n }

// CancellerCameLocked is called by a caller whose task the owner has found cancelled, or is to
// find. The lock is held.
func (s *Settling) CancellerCameLocked() { s.awaited-- }

// EndedLocked is called at the end of a run that is the last, whatever has ended the task. The lock
// is held.
func (s *Settling) EndedLocked(c *cell.Cell) {
	if c.Phase() == cell.Cancelled {
		s.FoundCancelledLocked(1)
	}
}

// Settling is which goroutines settle tasks of an owner at the moment, and whom it waits for
// besides. The lock of the owner guards its fields.
type Settling struct {
	*Env
	goroutines []uint64 // about to settle tasks, or to tell of that; open where one has ended
	awaited    int      // tasks found cancelled, less the callers who have come to say so
}

// open stands for a settling that has no goroutine at the moment. No goroutine has this identity.
const open = 0

// SettlesLocked begins a settling of the calling goroutine. It may be in several. The lock is held.
func (s *Settling) SettlesLocked() { s.goroutines = append(s.goroutines, goid.Current()) }

// Settles is SettlesLocked for a caller who does not hold the lock. It returns what ends it.
func (s *Settling) Settles() (end func()) { s.settles(); return s.EndSettling }

func (s *Settling) settles() {
	s.Lock.Lock()
	s.SettlesLocked()
	s.Lock.Unlock()
}

// EndSettling ends one that the calling goroutine has begun, which the end of the owner may have
// waited for. The lock is not held.
func (s *Settling) EndSettling() {
	s.Lock.Lock()
	i := slices.Index(s.goroutines, goid.Current())
	s.goroutines = slices.Delete(s.goroutines, i, i+1)
	s.Lock.Unlock()
	s.Host.Settled()
}

// disownSettling is called by a goroutine that ends, and adoptSettling by the one that goes on.
func (s *Settling) disownSettling() { s.changeSettling(goid.Current(), open) }
func (s *Settling) adoptSettling()  { s.changeSettling(open, goid.Current()) }

func (s *Settling) changeSettling(from, to uint64) {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	s.goroutines[slices.Index(s.goroutines, from)] = to
}

// SettleElsewhereLocked has f called on another goroutine, in a settling. The lock is held.
func (s *Settling) SettleElsewhereLocked(f func()) {
	s.goroutines = append(s.goroutines, open)
	go func() {
		s.adoptSettling()
		defer s.EndSettling()
		f()
	}()
}

// SettlingLocked returns how many settlings are in progress, those included that callers are about
// to begin. The lock is held.
func (s *Settling) SettlingLocked() int { return len(s.goroutines) + max(s.awaited, 0) }

// Outlives reports whether the owner cannot end before the caller goes on: the calling goroutine is
// in a settling, or ctx is certain to end only with a task of the owner.
func (s *Settling) Outlives(ctx context.Context) bool {
	if cell.EndsWith(ctx, s.Owns) { // without the lock: it calls methods of ctx
		return true
	}
	id := goid.Current()
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return slices.Contains(s.goroutines, id)
}

// Owns reports whether a run is one of the owner's.
func (s *Settling) Owns(run *cell.Cell) bool { return run.Plan != nil && run.Plan.Host == s.Host }
