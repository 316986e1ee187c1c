package timertest_test

import (
	"runtime"
	"time"
)

// fault is what is wrong with a reference.
type fault string

const (
	none fault = ""

	// of time
	earlyByANanosecond    fault = "functions begin a nanosecond early"
	lateByANanosecond     fault = "functions begin a nanosecond late"
	lateInADay            fault = "long delays are stretched"
	countsTicksIn32Bits   fault = "delays wrap at 32 bits of ticks"
	countsTicksInInt32    fault = "the age wraps at 31 bits of ticks"
	wrapsAtTheEndOfClock  fault = "times past the end of the clock wrap"
	wrapsLateInLife       fault = "times past the end of the clock wrap after a year"
	takesNegativeForNever fault = "negative delays mean never"
	readsAStaleClock      fault = "delays count from when the facility was awake"
	ignoresAnEarlierHead  fault = "an earlier head does not move the alarm"
	setsTheAlarmUnlocked  fault = "an earlier head sometimes does not move the alarm"
	sleepsPastTheTurn     fault = "the alarm is set for the end of a turn"
	sleepsAfterWork       fault = "the alarm is not set after work"
	wakesEarly            fault = "the alarm is early and what it finds is taken for due"
	wakesEveryMinute      fault = "the alarm rings every minute"
	wakesWithoutCause     fault = "the alarm rings every hour when nothing is armed"
	wakesForEach          fault = "the alarm is set again by whatever is armed"
	dropsWhatIsLate       fault = "what is late by a turn is forgotten"

	// of calls
	losesOneInAThousand   fault = "one function in a thousand is lost"
	callsInline           fault = "AfterFunc calls what is due itself"
	callsOneAfterTheOther fault = "functions share a goroutine"
	callsWhatIsStale      fault = "an Executor can call what was stopped or reset"
	handsOverTwice        fault = "an Executor is handed everything twice"
	takesNil              fault = "a nil function is taken"
	collectsBatches       fault = "what is due is called though stopped"
	lastFirst             fault = "functions of equal time begin in reverse"
	oldestFirst           fault = "overdue functions begin in order of arming"
	resetKeepsItsPlace    fault = "Reset keeps the place among functions of equal time"

	// of Stop and Reset
	stopLies            fault = "Stop is always true"
	stopsNothing        fault = "Stop does nothing and is true"
	stopWaits           fault = "Stop waits for a function that runs"
	cannotStopHandedOff fault = "Stop does not reach what is handed over"
	claimsTooLate       fault = "a function counts as armed while it runs"
	keepsWhatIsStopped  fault = "what is stopped stays in the list"
	resetLies           fault = "Reset tells the opposite"
	resetMovesNothing   fault = "Reset leaves an armed function where it is"
	armsOnce            fault = "Reset arms nothing that is not armed"
	hidesARefusal       fault = "Err does not tell of a refusal by the Executor"
	keepsAnOldErr       fault = "Err tells of a refusal after a Reset"

	// of the limit
	allowsOneMore       fault = "the limit is one more"
	leaksStopped        fault = "Stop makes no room"
	leaksRun            fault = "a run makes no room"
	leaksRefused        fault = "what is refused takes room"
	leaksRefusedHandOff fault = "what the Executor refuses takes room"
	leaksPanicked       fault = "what panics takes room"
	freesAtHandOff      fault = "what is handed over takes no room"
	resetTakesAPlace    fault = "Reset of an armed function takes room"
	checksUnlocked      fault = "the limit is checked and then taken"

	// of the end
	armsAfterStop    fault = "what is armed after the end is kept"
	armsUnlocked     fault = "what is armed during the end is forgotten"
	goesOnAfterStop  fault = "functions are called after the end"
	returnsAgain     fault = "a second end returns handles"
	forgetsOneAtStop fault = "one function is forgotten at the end"
	stopsWithoutErr  fault = "Err does not tell of the end"
	callsAtStop      fault = "what is returned at its very time is called"

	// of functions that fail
	tellsNoPanic     fault = "OnPanic and the log are told nothing"
	tellsAPanicTwice fault = "OnPanic is told twice"
	diesOfGoexit     fault = "a Goexit ends the hand-over"
	diesOfAPanic     fault = "a panic drops what is armed"
	outlivesFailure  fault = "a failure does not stop the facility"
	hidesTheCause    fault = "the cause of death is not told"
)

// turn is what a fault takes for one.
const turn = 512 * time.Millisecond

// if1 is 1 for a reference with that fault.
func (r *reference) if1(f fault) int {
	if r.broken == f {
		return 1
	}
	return 0
}

// brokenDue is when a function armed with d is due according to some faults.
func (r *reference) brokenDue(now, d time.Duration) (due time.Duration, wrong bool) {
	switch r.broken {
	case earlyByANanosecond:
		return now + d - 1, d > 1 && d < year
	case lateByANanosecond:
		return now + d + 1, d < year
	case lateInADay:
		return now + d + d/day, d > day && d < 100*year
	case countsTicksIn32Bits:
		return now + d%(1<<32*time.Millisecond), d > 0 && d < 200*year
	case countsTicksInInt32:
		return now%(1<<31*time.Millisecond) + d, now > 1<<31*time.Millisecond && d < year
	case wrapsAtTheEndOfClock:
		return now + d, d > 0
	case wrapsLateInLife:
		return now + d, now > year
	case takesNegativeForNever:
		return 1<<63 - 1, d < 0
	case readsAStaleClock:
		return r.woken + max(d, 0), d < year
	}
	return 0, false
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// brokenAlarm is when the alarm is set for a head that is due then.
func (r *reference) brokenAlarm(due time.Duration) time.Duration {
	switch r.broken {
	case wakesEarly:
		return due - 1
	case wakesEveryMinute:
		return min(due, r.now()+time.Minute)
	case sleepsPastTheTurn:
		if due > r.now()+turn {
			return (due/turn + 1) * turn
		}
	}
	return due
}

// dropLate forgets what is late by a turn.
func (r *reference) dropLate() {
	for len(r.list) > 0 && r.list[0].due < r.now()-turn {
		r.list = r.list[1:]
	}
}

// brokenHead is the place in the list of what is handed over next.
func (r *reference) brokenHead() int {
	first := 0
	if r.broken != oldestFirst {
		return first
	}
	for i, h := range r.list {
		if h.due <= r.now() && h.seq < r.list[first].seq {
			first = i
		}
	}
	return first
}

// brokenPanic is what faults do after a panic has been told.
func (r *reference) brokenPanic() {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.broken {
	case tellsAPanicTwice:
		r.mu.Unlock()
		r.cfg.OnPanic("again", nil)
		r.mu.Lock()
	case leaksPanicked:
		r.pending++
	case diesOfAPanic:
		r.list = nil
	}
}

// endLate ends a handle whose function has returned.
func (h *handle) endLate() {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	if h.state == handed {
		h.end()
	}
}

// brokenGhosts are what a stopped handle leaves in the list.
func (h *handle) brokenGhosts() []*handle {
	ghost := &handle{r: h.r, f: h.f, due: h.due, seq: h.seq}
	switch {
	case h.r.broken == keepsWhatIsStopped:
		return []*handle{ghost}
	case h.r.broken == collectsBatches && h.due <= h.r.now():
		ghost.state = queued
		return []*handle{ghost}
	}
	return nil
}

// brokenIdle sets an alarm for nothing.
func (r *reference) brokenIdle() {
	if r.broken == wakesWithoutCause && len(r.list) == 0 && !r.stopped && r.alarm != nil {
		r.alarm.Reset(time.Hour)
	}
}

// brokenCover reports that no alarm need be set for what will be armed, as things were a moment
// ago.
func (r *reference) brokenCover(due time.Duration) (covered bool) {
	switch r.broken {
	case wakesForEach:
		go r.drain()
	case setsTheAlarmUnlocked:
		covered = r.set && due >= r.rings || r.draining
		r.mu.Unlock()
		runtime.Gosched()
		r.mu.Lock()
	}
	return covered
}

// brokenStop calls what is due this very moment, though it will be returned.
func (r *reference) brokenStop() {
	if r.broken != callsAtStop || r.stopped {
		return
	}
	for _, h := range r.list {
		if h.due <= r.now() {
			go h.f()
		}
	}
}
