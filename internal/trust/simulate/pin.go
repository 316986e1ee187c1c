package simulate

import (
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// pin is one function on a timer facility, with its history: armed, stopped, armed anew; or a series of package timer;
// or a task of the classic timer. What is random about it is drawn when it is made; the lock of the world guards the
// rest.
type pin struct {
	mill *mill
	era  *era
	id   int
	calendar

	handle timer.Handle
	series *timer.Series
	task   *timer.Task

	delay time.Duration
	takes time.Duration
	ends  ending
	last  int           // run at which it ends so, or by stopping itself; 0 is never
	again time.Duration // each run but the last arms it anew, if that is not 0
	bears *pin

	when    time.Duration // the deadline of the present arming
	at      time.Duration // when it is to begin, if nothing is in its way
	latest  time.Duration // when it might have begun for certain
	came    int64         // stamps: when it was armed, at the earliest
	there   int64         // and at the latest
	changes int           // of its time that are in progress

	armings  int // accepted, or about to be
	fires    int
	consumed int  // armings that were stopped, replaced, or returned
	strays   int  // runs of an arming before the present one that have been decided, and not begun
	vague    bool // two have changed its time at once: which of them was last?
	hastened bool // it may be run before its time, at the end
	inBody   bool
	known    bool // to whoever has armed it
	stopped  bool // for good: a series or task
	over     bool // a series or task has come to its end by itself
	stopAt   time.Duration
}

// periodic reports whether the pin repeats.
func (k *pin) periodic() bool { return k.rule != once }

// plain reports whether the pin is a function with a handle.
func (k *pin) plain() bool { return k.rule == once && k.task == nil }

// outstanding returns how many armings have not led to a run, nor been stopped. The lock is held.
func (k *pin) outstanding() int { return k.armings - k.fires - k.consumed }

// body is what the facility calls.
func (k *pin) body() {
	m := k.mill
	final, child := m.begin(k)
	m.arm(child)
	switch {
	case final && k.ends == returns && k.periodic():
		m.stop(k)
	case k.again > 0 && !final && k.plain():
		m.reset(k, k.again)
	}
	if k.takes > 0 {
		time.Sleep(k.takes)
	}
	if m.end(k, final); !final {
		return
	}
	switch k.ends {
	case panics, fails:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
}

// String tells what k is, for the words of a fault.
func (k *pin) String() string {
	text := fmt.Sprintf("%d (takes %v", k.id, k.takes)
	if k.task != nil {
		text += ", a task"
	}
	if k.periodic() {
		text += fmt.Sprintf(", %v each %v", k.rule, k.period)
	}
	if k.last > 0 {
		text += fmt.Sprintf(", %d times, then %v", k.last, k.ends)
	}
	return text + fmt.Sprintf("; armed %d times, begun %d, stopped %d)", k.armings, k.fires, k.consumed)
}
