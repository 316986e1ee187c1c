// Package parking is where the takers of a time-ordered queue wait: one leader for the head's
// time, any number of followers until they are called.
//
// It is the leader-follower pattern of java.util.concurrent.DelayQueue with two changes. A new,
// earlier head re-arms the leader's alarm instead of waking anybody; and at most one taker is on
// its way at a time, who on taking calls the next if there is more to do, so that a burst wakes no
// more takers than it needs.
//
// # Overview
//
// A taker is in one of four states:
//
//	running -> follower  Park: there is a leader, or nothing to wait for
//	running -> leader    Park: the queue is not empty and nobody leads
//	follower -> called   Notify: there is work, or nobody leads
//	leader -> running    the alarm rings: the head is due, or it is called
//	called -> running    Park returns
//	running -> called    Yield: it lets others run, and counts as called until it looks again
//	follower -> running  Park gives up: its context ends or its time is over
//
// One rule holds whenever the owner's lock is free:
//
//	If the queue is not empty and a taker is parked, then somebody will look at the head when it
//	is due: a called taker is on its way, or the leader's alarm is set no later than the head.
//
// To keep it, whoever brings the head forward and whoever leaves the queue, with an element or
// without, calls Notify before it unlocks. Who removes an element need not: the leader wakes early,
// once, and looks again. Forgetting that on the way out by cancellation is the classic
// fault of ports of DelayQueue: the call to a taker that no longer wants it is lost, and the
// queue sleeps through its deadlines. It is called the baton rule here.
package parking

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/alarm"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// Lot holds the parked takers of one queue. All methods are called with the owner's lock held;
// Park releases it while it waits. Times are nanoseconds on the owner's clock.
type Lot struct {
	mu    *sync.Mutex // the owner's
	alarm *alarm.Alarm

	top       *Waiter // followers, last parked first: it is the warmest, and the others may retire
	followers int

	leader *Waiter // in Park with the alarm; cleared by itself only
	rung   bool    // the leader has been called
	armed  int64   // when the leader's alarm is set to ring

	coming int // takers called, or started, that have not locked again yet

	wakes uint64 // how often a parked taker has gone on
}

// Waiter is the place of one taker, for one Park at a time.
type Waiter struct {
	call       chan struct{}
	up, down   *Waiter // in the followers' stack
	isFollower bool
}

// New returns the lot of a queue whose lock is mu, and whose times are those of c.
func New(mu *sync.Mutex, c clock.Clock) *Lot { return &Lot{mu: mu, alarm: alarm.New(c)} }

// NewWaiter returns a place to wait in.
func NewWaiter() *Waiter { return &Waiter{call: make(chan struct{}, 1)} }

// Nothing is the head's time of an empty queue.
const Nothing int64 = -1

// Idle returns the number of takers parked, the leader included.
func (l *Lot) Idle() int {
	if l.leader != nil {
		return l.followers + 1
	}
	return l.followers
}

// Coming returns the number of takers that are called, or started, and have not come yet.
func (l *Lot) Coming() int { return l.coming }

// Wakes returns how often a parked taker has gone on, for whatever reason.
func (l *Lot) Wakes() uint64 { return l.wakes }

// Park waits, as leader or follower, until there may be something to take. The head is not due,
// or is Nothing. It returns early when ctx ends, and a follower also when limit delivers; gaveUp
// tells that limit did and that nobody had called. Done is the channel of ctx, or nil if that
// cannot end; a nil limit does not end either.
func (l *Lot) Park(w *Waiter, head, now int64, ctx context.Context, done <-chan struct{}, limit <-chan time.Time) (gaveUp bool) {
	if head != Nothing && l.leader == nil {
		l.lead(w, head, now, ctx, done)
		return false
	}
	if head != Nothing {
		l.rearm(head, now)
	}
	return l.follow(w, done, limit)
}

// Cost is about what it takes to set an alarm, to park, and to be woken, in nanoseconds: on a virtual machine
// to set the next alarm of all is most of it. For a head that is due sooner it is better to Yield.
const Cost int64 = 8000

// Yield lets others run, and returns soon. Meanwhile the caller counts as one who is called, as it will look at
// the head again.
func (l *Lot) Yield() {
	l.coming++
	l.mu.Unlock()
	runtime.Gosched()
	l.mu.Lock()
	l.coming--
}

// Notify keeps the rule of the lot after the head may have changed or a taker has left.
// It calls at most one taker. If nobody can come, or only the leader could and mayGrow says that
// the owner can have another taker, it returns true: the owner should start one, with Expect.
func (l *Lot) Notify(head, now int64, mayGrow bool) (grow bool) {
	switch {
	case head == Nothing, l.coming > 0:
	case l.leader == nil:
		if l.top == nil {
			return mayGrow
		}
		l.call(l.top)
	case l.rung, l.armed <= now:
		// The leader is on its way and will look for itself.
	case head > now:
		l.rearm(head, now)
	case l.top != nil:
		l.call(l.top)
	case mayGrow:
		return true
	default:
		l.ring()
	}
	return false
}

// Expect announces a taker that the owner has started and that will call Arrive.
func (l *Lot) Expect() { l.coming++ }

// Arrive is the first thing an expected taker does under the lock.
func (l *Lot) Arrive() { l.coming-- }

// CallAll makes every parked taker look again, to see a shutdown or a new limit.
func (l *Lot) CallAll() {
	for l.top != nil {
		l.call(l.top)
	}
	l.CallLeader()
}

// CallLeader makes the leader look again, if there is one.
func (l *Lot) CallLeader() {
	if l.leader != nil && !l.rung {
		l.ring()
	}
}

// Close releases the alarm. No taker is parked, and none will be.
func (l *Lot) Close() { l.alarm.Close() }

func (l *Lot) lead(w *Waiter, head, now int64, ctx context.Context, done <-chan struct{}) {
	l.leader, l.rung, l.armed = w, false, head
	l.alarm.Set(head, now)
	recalled := done != nil && !l.alarm.Interruptible()
	l.mu.Unlock()
	defer func() { // also when ctx, which may be the caller's code, panics
		delay.At(delay.LeaderWoken)
		l.mu.Lock()
		l.wakes++
		l.leader = nil
	}()
	delay.At(delay.LeaderLeft)
	if !recalled {
		l.alarm.Wait(done)
		return
	}
	stop := context.AfterFunc(ctx, func() { l.recall(w) })
	defer stop()
	l.alarm.Wait(nil)
}

// recall rings for w if it leads, on behalf of its context.
func (l *Lot) recall(w *Waiter) {
	delay.At(delay.LeaderRecalled)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leader == w && !l.rung {
		l.ring()
	}
}

func (l *Lot) follow(w *Waiter, done <-chan struct{}, limit <-chan time.Time) (gaveUp bool) {
	l.push(w)
	l.mu.Unlock()
	delay.At(delay.FollowerLeft)
	select {
	case <-w.call:
	case <-done:
	case <-limit:
		gaveUp = true
	}
	delay.At(delay.FollowerWoken)
	l.mu.Lock()
	l.wakes++
	if w.isFollower {
		l.drop(w)
		return gaveUp
	}
	// Called, whatever ended the select; the call may still lie in the channel.
	l.coming--
	select {
	case <-w.call:
	default:
	}
	return false
}

func (l *Lot) rearm(head, now int64) {
	if !l.rung && head < l.armed {
		l.armed = head
		l.alarm.Set(head, now)
	}
}

func (l *Lot) ring() {
	l.rung = true
	l.alarm.Ring()
}

func (l *Lot) call(w *Waiter) {
	l.drop(w)
	l.coming++
	w.call <- struct{}{}
}

func (l *Lot) push(w *Waiter) {
	w.isFollower = true
	w.down = l.top
	if l.top != nil {
		l.top.up = w
	}
	l.top = w
	l.followers++
}

func (l *Lot) drop(w *Waiter) {
	if w.up != nil {
		w.up.down = w.down
	} else {
		l.top = w.down
	}
	if w.down != nil {
		w.down.up = w.up
	}
	w.up, w.down, w.isFollower = nil, nil, false
	l.followers--
}
