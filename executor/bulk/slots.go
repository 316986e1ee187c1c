package bulk

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// slots bound how many members of a group are in flight. The group's lock guards them.
type slots struct {
	limit int           // below zero: none
	taken int           // by members, and by calls of Go that are past the wait
	lent  int           // of these, by members that wait in Go for another one
	freed chan struct{} // closed when there may be a free one, or a member came; nil if none waits
}

// errFull is returned to those who would have to wait for a slot, and do not.
var errFull error = fullGroup{}

// fullGroup is the type of errFull. It is a type, so that errFull matches executor.ErrSaturated.
type fullGroup struct{}

func (fullGroup) Error() string { return "bulk: group has as many members as it may" }
func (fullGroup) Is(target error) bool {
	return target == executor.ErrSaturated || target == executor.ErrRejected
}

// SetLimit bounds how many members of the group are in flight, which is from their submission until
// their futures are settled. [Group.Go] then waits for its turn, and [Group.TryGo] does not. A
// limit below zero is none, as at first; a limit of zero lets nobody in. A lower limit than before
// holds for those that come from now on.
func (g *Group) SetLimit(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots.limit = n
	g.slots.signal()
}

// TryGo is [Group.Go] that does not wait for a turn: if the group has as many members in flight as
// [Group.SetLimit] allows, it returns an error that matches [executor.ErrSaturated]. A member that
// wants others to do part of its work calls TryGo, and does that part itself if it is refused.
func (g *Group) TryGo(task executor.Task, opts ...executor.TaskOption) error {
	return g.add(task, opts, false)
}

// acquire takes a slot for a new member. If there is none it waits, if wait says so, until ctx
// ends, which is the context of the group.
func (g *Group) acquire(ctx context.Context, wait bool) error {
	for lends := 0; ; {
		freed, err := g.tryAcquire(wait, lends)
		if freed == nil {
			return err
		}
		// A caller inside a member cannot wait for that one. Asked without the lock of the
		// group, as it looks at the pool and at the tasks; so the slots are asked once more.
		own, ended := g.ownSlots(), false
		if own == lends {
			ended = !g.awaitSlot(ctx, freed)
		}
		g.takeBack(lends)
		lends = own
		if ended {
			return future.CancelledError(cmp.Or(g.end(), cell.EndOf(ctx)))
		}
	}
}

// tryAcquire takes a slot, or returns a channel that is closed when it should be tried again. The
// caller is inside so many members, whose slots it lends until then, see takeBack; if all other
// slots are lent already, it would wait for itself. That is one step, so that of several who come
// at once the last finds out.
func (g *Group) tryAcquire(wait bool, lends int) (freed <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.slots
	switch {
	case s.limit < 0 || s.taken < s.limit:
		s.taken++
		return nil, nil
	case !wait:
		return nil, errFull
	case lends > 0 && s.lent+lends >= s.taken:
		return nil, future.ErrSelfWait
	}
	if s.freed == nil {
		s.freed = make(chan struct{})
	}
	s.lent += lends
	return s.freed, nil
}

// ownSlots returns how many slots are taken by members that cannot end before the caller goes on:
// it is inside of them, or they come after it in a serial executor.
func (g *Group) ownSlots() (own int) {
	own = g.ownCalls() - 1 // the call that asks has no slot yet
	var caller engine.Caller
	if !g.way.IsForeign() {
		if caller = g.way.Pool.Caller(); !caller.IsRun() {
			return own
		}
	}
	for c := range g.inFlight {
		if caller.IsAheadOf(c) || !caller.IsRun() && c.StopsAfterCaller() {
			own++
		}
	}
	return own
}

// inFlight yields the unsettled members. It works on a copy, as yield may run without the lock
// only.
func (g *Group) inFlight(yield func(*cell.Cell) bool) {
	g.mu.Lock()
	members := slices.Clone(g.members)
	g.mu.Unlock()
	for _, f := range members {
		if c := submitter.CellOf(f); !c.Phase().Settled() && !yield(c) {
			return
		}
	}
}

// awaitSlot waits until freed is closed, or reports false when ctx ends first. If the caller is a
// run of the pool, it lends its place: the members may need it.
func (g *Group) awaitSlot(ctx context.Context, freed <-chan struct{}) bool {
	_, ok := cell.Receive(ctx, freed, g.hosts(), iter.Seq[*cell.Cell](g.inFlight))
	return ok
}

// takeBack takes slots back that tryAcquire has lent.
func (g *Group) takeBack(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots.lent -= n
}

// hosts returns the executors of the members.
func (g *Group) hosts() []cell.Host {
	if !g.way.IsForeign() {
		return []cell.Host{g.way.Pool.Host()}
	}
	return cell.HostsOf(g.inFlight)
}

// release gives back the slot of a member that has ended, or has not come to be.
func (g *Group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots.taken--
	g.slots.signal()
}

// signal makes those who wait for a slot look again.
func (s *slots) signal() {
	if s.freed != nil {
		close(s.freed)
		s.freed = nil
	}
}
