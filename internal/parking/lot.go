// Package parking is where the takers of a time-ordered queue wait: one leader until the head is
// due, any number of followers until they are called.
//
// It is the leader-follower pattern of java.util.concurrent.DelayQueue with two changes. A new,
// earlier head re-arms the leader's alarm instead of waking anybody. And at most one taker is on
// its way at a time; once it has taken, it calls the next if there is more to do, so a burst wakes
// no more takers than it needs.
//
// # Overview
//
// The states of a taker:
//
//	running  -> follower  Park: there is a leader, or nothing to wait for
//	running  -> leader    Park: the queue is not empty and nobody leads
//	follower -> called    Notify: there is work, or nobody leads
//	leader   -> running   the alarm rings: the head is due, or it is called
//	called   -> running   Park returns
//	running  -> called    Spin: the head is due in an instant, and it looks again then
//	follower -> running   Park gives up: its context has ended or its time is over
//	running  -> watching  Watch: it runs something brief, and will be back
//	watching -> running   Back
//
// One rule holds whenever the owner's lock is free:
//
//	If the queue is not empty and a taker is parked, then somebody will look at the head when it
//	is due: a called taker is on its way, or the leader's alarm is set no later than the head; or
//	a taker is watching, and the guard is set.
//
// Where time is virtual the guard calls exactly when the head is due; otherwise, a millisecond or
// two after the taker has begun to watch.
//
// When a head is due is for the owner to say: with the slack that it allows, the time it passes is
// later than the head's own, see [Lot.Space].
//
// To keep it, Notify must be called before unlocking by whoever brings the head forward, and by
// whoever leaves the queue, with an element or without. Whoever removes an element need not call
// it: the leader then wakes early, once, and looks again. It is called the baton rule here. The
// classic fault of ports of DelayQueue is to break it when a wait is cancelled: the call to a taker
// that no longer wants it is lost, and the queue sleeps through its deadlines.
package parking

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/alarm"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// Lot holds the parked takers of one queue. All methods are called with the owner's lock held; Park
// and Spin release it while they wait. Times are nanoseconds on the owner's clock.
type Lot struct {
	mu    *sync.Mutex // the owner's
	clock clock.Clock
	alarm *alarm.Alarm

	top       *Waiter // last parked first: its caches are warmest, and the others may retire
	followers int

	leader *Waiter // in Park, waiting for the alarm; only it clears the field
	rung   bool    // the leader has been called
	armed  int64   // when the leader's alarm is set to ring, or was rung

	coming int // takers called, or started, that have not locked again yet

	watch watch

	woke  int64  // when a leader last resumed; long ago if none has
	meant int64  // until when that one had meant to wait
	wakes uint64 // how often a parked taker has resumed
}

// Waiter is the place of one taker. It serves one Park at a time.
type Waiter struct {
	call       chan struct{}
	up, down   *Waiter // in the followers' stack
	isFollower bool
}

// New returns the lot of a queue whose lock is mu and whose clock is c.
func New(mu *sync.Mutex, c clock.Clock) *Lot {
	return &Lot{mu: mu, clock: c, alarm: alarm.New(c), woke: -clock.Never}
}

// NewWaiter returns a place to wait in.
func NewWaiter() *Waiter { return &Waiter{call: make(chan struct{}, 1)} }

// Nothing stands for the time of the head of an empty queue.
const Nothing int64 = -1

// Idle returns the number of takers parked, the leader included.
func (l *Lot) Idle() int {
	if l.leader != nil {
		return l.followers + 1
	}
	return l.followers
}

// Coming returns how many takers are called or started and have not locked again yet.
func (l *Lot) Coming() int { return l.coming }

// Wakes returns how often a parked taker has resumed, for whatever reason.
func (l *Lot) Wakes() uint64 { return l.wakes }

// Virtual reports whether the lot was made inside a testing/synctest bubble.
func (l *Lot) Virtual() bool { return l.alarm.Virtual() }

// Space returns when to look at a head if wake-ups are to be so far apart: at its time, or later if
// a leader has resumed less than slack ago. So the first of many is on time, none is later than
// slack, and no more than one in slack costs a wake-up.
func (l *Lot) Space(head, slack int64) int64 {
	// What was due already when the leader resumed is not to wait for another.
	if slack == 0 || head <= l.woke || head == Nothing {
		return head
	}
	return max(head, clock.Later(l.woke, time.Duration(slack)))
}

// Meant returns until when the leader that resumed last had meant to wait: what was due before, and
// found no taker, waited on purpose.
func (l *Lot) Meant() int64 { return l.meant }

// Until returns until when the leader means to wait; like Meant if there is none.
func (l *Lot) Until() int64 {
	if l.leader == nil {
		return l.meant
	}
	return l.armed
}

// Park waits, as leader or follower, until there may be something to take. Head is the time of the
// head, which is not due, or Nothing. Park returns early when ctx ends, and a follower also when
// limit delivers; gaveUp tells that limit did and that nobody had called. Done is the channel of
// ctx, or nil if ctx cannot end. A nil limit never delivers.
func (l *Lot) Park(
	w *Waiter, head, now int64, ctx context.Context, done <-chan struct{}, limit <-chan time.Time,
) (gaveUp bool) {
	if head == clock.Never {
		head = Nothing // nobody has to look at what is never due
	}
	l.relieve(head, now)
	if head != Nothing && l.leader == nil {
		l.lead(w, head, now, ctx, done)
		return false
	}
	// This taker may have seen a head that is earlier than the one the leader waits for.
	if head != Nothing {
		l.rearm(head)
	}
	return l.follow(w, done, limit)
}

// Cost is about how long it takes to set an alarm, to park, and to be woken, in nanoseconds; on a
// virtual machine, setting the alarm is most of it. If the head is due sooner than that, Spin is
// better than Park.
const Cost int64 = 8000

// maxReadings is how often Spin reads the clock at most, which takes more than Cost anywhere.
const maxReadings = 1 << 12

// Spin waits for a head that is due within Cost, and returns the time. Meanwhile the caller counts
// as called, as it will look at the head again. It keeps its processor: giving that away would make
// the runtime wake a thread for it. Where time is virtual it does not pass meanwhile, so Spin
// returns false, and the caller has to park.
func (l *Lot) Spin(head, now int64) (woke int64, ok bool) {
	if l.Virtual() || head-now >= Cost {
		return now, false
	}
	l.coming++
	l.mu.Unlock()
	for range maxReadings { // time may be virtual after all, where that cannot be told
		if now = l.clock.Now(); now >= head {
			break
		}
	}
	l.mu.Lock()
	l.coming--
	return now, true
}

// Notify keeps the rule of the lot after the head may have changed or a taker has left. It calls at
// most one taker. It returns true if the owner should start another taker, and call Expect: nobody
// can come, or only the leader could, and mayGrow says that the owner may have one more.
func (l *Lot) Notify(head, now int64, mayGrow bool) (grow bool) {
	switch {
	case head == Nothing, head == clock.Never, l.coming > 0:
		// Nothing to do, or somebody is on the way and will call the next.
	case l.leader == nil && l.relies(head, now):
		l.setGuard(head, now) // whoever watches will be back, or the guard calls another
	case l.leader == nil:
		if l.top == nil {
			return mayGrow
		}
		l.call(l.top)
	case l.rung, l.armed <= now:
		// The leader is on its way and will look for itself.
	case head > now:
		l.rearm(head)
	case l.top != nil:
		// The head is due. A follower takes it, and the leader stays to wait for the next.
		l.call(l.top)
	case mayGrow:
		return true
	default:
		l.ring()
	}
	return false
}

// Expect announces a taker that the owner is starting and that will call Arrive.
func (l *Lot) Expect() { l.coming++ }

// Arrive is the first call of an expected taker.
func (l *Lot) Arrive() { l.coming-- }

// CallAll makes every parked taker look again, because of a shutdown or a new limit.
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

// Close releases the alarm. No taker may be parked, now or later.
func (l *Lot) Close() {
	l.stopGuard()
	l.alarm.Close()
}

// lead waits for the alarm, set to the time of the head.
func (l *Lot) lead(w *Waiter, head, now int64, ctx context.Context, done <-chan struct{}) {
	l.leader, l.rung, l.armed = w, false, head
	l.alarm.Set(head, now)
	// An alarm of the operating system cannot watch done, so a function of the context rings it
	// instead.
	recalled := done != nil && !l.alarm.Interruptible()
	woke := now // unless Wait returns
	l.mu.Unlock()
	defer func() { // also if a method of ctx, which may be the user's, panics
		delay.At(delay.LeaderWoken)
		l.mu.Lock()
		l.wakes++
		l.leader, l.woke, l.meant = nil, woke, min(l.armed, woke)
	}()
	delay.At(delay.LeaderLeft)
	if !recalled {
		woke = l.alarm.Wait(done)
		return
	}
	stop := context.AfterFunc(ctx, func() { l.recall(w) })
	defer stop()
	woke = l.alarm.Wait(nil)
}

// recall rings the alarm for w if it leads, as its context has ended.
func (l *Lot) recall(w *Waiter) {
	delay.At(delay.LeaderRecalled)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leader == w && !l.rung {
		l.ring()
	}
}

// follow waits for a call.
func (l *Lot) follow(w *Waiter, done <-chan struct{}, limit <-chan time.Time) (gaveUp bool) {
	l.push(w)
	l.mu.Unlock()
	delay.At(delay.FollowerLeft)
	if done == nil && limit == nil {
		<-w.call // a worker that stays, and most do; a select would take longer
	} else {
		select {
		case <-w.call:
		case <-done:
		case <-limit:
			gaveUp = true
		}
	}
	delay.At(delay.FollowerWoken)
	l.mu.Lock()
	l.wakes++
	// What ended the select may not be all that has happened: under the lock the flag tells.
	if w.isFollower {
		l.drop(w)
		return gaveUp
	}
	// Called, whatever ended the select. The baton has been passed to this taker, so it must not be
	// reported as having given up; and the call may still lie in the channel.
	l.coming--
	select {
	case <-w.call:
	default:
	}
	return false
}

// rearm sets the leader's alarm earlier, if the head is earlier. The leader sleeps on. The clock is
// read here, as what the caller has read may be old: an alarm set by that would come too late.
func (l *Lot) rearm(head int64) {
	if !l.rung && head < l.armed {
		l.armed = head
		l.alarm.Advance(head, l.clock.Now())
	}
}

func (l *Lot) ring() {
	l.rung = true
	l.armed = min(l.armed, l.clock.Now())
	l.alarm.Ring()
}

// call wakes a follower. It counts as coming from here on, not from when it runs: in between nobody
// else need be called. The send does not block, as the channel has room and a follower is called
// once.
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
