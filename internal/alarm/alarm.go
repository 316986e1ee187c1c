// Package alarm wakes one goroutine at a time, as precisely as the system can, and for as little
// processor time as that takes.
//
// There are three ways to wait, and each is bad where another is good:
//
//	timer    a time.Timer. In a process with more to run than processors it is exact: the runtime
//	         looks at its timers whenever it goes from one goroutine to the next. An idle process
//	         waits in epoll with millisecond timeouts, so there it is up to a millisecond late.
//	poller   a timerfd that the netpoller waits for. In an idle process it is exact. For each
//	         wake-up the scheduler wakes and parks threads of its own, which costs more than the
//	         timer itself; and a busy process may look at the netpoller only every ten
//	         milliseconds, so a runtime timer is set, too, for the same time or a millisecond
//	         later, and the first of the two wins.
//	thread   a timerfd that is read by a system call, so that the goroutine keeps its thread and
//	         its processor. That halves the cost of a wake-up. But it keeps a processor from others
//	         until the runtime takes it away; a goroutine that wakes without one waits in line. So
//	         it is for short waits, in a process with nothing else to run, and for few at once.
//
// The way is chosen for each wait, by how long it is and by how many goroutines wait for a
// processor; see [load]. Inside a testing/synctest bubble it is always the timer, as a descriptor
// knows nothing of virtual time; likewise on systems without a timerfd, and when the process has
// run out of descriptors.
//
// The states of an alarm, which the owner's lock guards except for the wait itself:
//
//	idle -> set       Set, which chooses the way
//	set  -> set       Advance; whoever waits is not disturbed
//	set  -> rung      the time comes, or Ring
//	rung -> idle      Wait returns
package alarm

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Alarm wakes its one waiter. Set, Advance and Close are called with the owner's lock held, Wait
// without it and by one goroutine at a time. Ring may be called at any time after the first Set.
type Alarm struct {
	clock   clock.Clock
	virtual bool // made inside a testing/synctest bubble
	load    load

	way   atomic.Int32 // the one chosen by the last Set
	means [ways]means  // made when they are first chosen, and written before way names them
	keeps bool         // this alarm is one of those that may block a thread
}

// means is one way to wait.
type means interface {
	set(at, now int64)
	ring()
	wait(done <-chan struct{})
	close()
}

// The ways, in order of preference where one cannot be had.
const (
	thread int32 = iota
	poller
	timer
	ways
)

const (
	// shortWait is how long a thread may be blocked. What is longer is so rare that its cost does
	// not matter.
	shortWait = time.Millisecond

	// timerWait is for how long a crowded process is expected to stay so. Beyond it both the timer
	// and the timerfd are set.
	timerWait = 100 * time.Millisecond
)

// New returns an alarm on the clock of its owner. Alarm and clock must both be made outside
// testing/synctest bubbles, or in the same one. The alarm holds no resource before the first Set.
func New(c clock.Clock) *Alarm { return &Alarm{clock: c, virtual: InBubble()} }

// Virtual reports whether the alarm was made inside a testing/synctest bubble.
func (a *Alarm) Virtual() bool { return a.virtual }

// Set makes the next Wait return at a time of the clock, or at once if that is past. Nobody may be
// in Wait. Now is the present time as the caller has read it. A slightly old reading does no harm
// to an alarm that is set to a time; one that is set to a duration is late by that much.
func (a *Alarm) Set(at, now int64) {
	a.release()
	a.load.age(now)
	way := a.choose(time.Duration(at - now))
	for !a.have(way) {
		way++
		a.release()
	}
	a.way.Store(way)
	a.means[way].set(at, now)
}

// Advance sets an alarm that is set already to an earlier time. Somebody may be in Wait.
func (a *Alarm) Advance(at, now int64) { a.means[a.way.Load()].set(at, now) }

// Ring makes Wait return now, or the next Wait if nobody waits.
func (a *Alarm) Ring() { a.means[a.way.Load()].ring() }

// Wait returns when the time set has come, after Ring, or early for no reason; the caller looks
// again at what it waits for. (Under GODEBUG=asynctimerchan=1, a tick of an earlier time may be
// left in the channel.) If Interruptible reports true, Wait also returns when done is closed. It
// returns the time at which it has woken.
func (a *Alarm) Wait(done <-chan struct{}) (woke int64) {
	way := a.way.Load()
	a.means[way].wait(done)
	a.release()
	woke = a.clock.Now()
	if a.virtual || !a.load.wantsLook(woke) {
		return woke
	}
	if way == thread {
		runtime.Gosched() // a goroutine that never does looks to the runtime like one that hogs
	}
	a.load.look(woke)
	return woke
}

// Interruptible reports whether Wait watches its done channel. If not, the owner has to ring.
func (a *Alarm) Interruptible() bool { return a.way.Load() == timer }

// Close releases what the alarm holds. Nobody may be in Wait, and nobody may use the alarm
// afterwards.
func (a *Alarm) Close() {
	a.release()
	for _, m := range a.means {
		if m != nil {
			m.close()
		}
	}
}

// choose returns the way to wait for so long.
func (a *Alarm) choose(wait time.Duration) int32 {
	switch {
	case a.virtual, a.load.crowded && wait <= timerWait:
		return timer
	case a.load.quiet && wait <= shortWait && a.acquire():
		return thread
	}
	return poller
}

// have makes the means of the given way if it can be had, and reports whether it can.
func (a *Alarm) have(way int32) bool {
	if a.means[way] != nil {
		return true
	}
	switch way {
	case thread:
		a.means[way] = newThread(a.clock)
	case poller:
		a.means[way] = newPoller(a.clock)
	default:
		a.means[way] = newTimer()
	}
	return a.means[way] != nil
}

// blocked is how many alarms may block a thread now, or are blocking one. There is one number for
// the process, because processors and threads are those of the process.
var blocked atomic.Int32

// acquire reports whether the alarm may block a thread: at most half of the processors are spent on
// that, and none where there is only one. The right lasts until Wait returns, or until the next Set
// or Close.
func (a *Alarm) acquire() bool {
	for most := a.load.processors / 2; ; {
		n := blocked.Load()
		if n >= most {
			return false
		}
		if blocked.CompareAndSwap(n, n+1) {
			a.keeps = true
			return true
		}
	}
}

func (a *Alarm) release() {
	if a.keeps {
		a.keeps = false
		blocked.Add(-1)
	}
}
