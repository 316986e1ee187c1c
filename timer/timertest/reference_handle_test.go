package timertest_test

import (
	"runtime"
	"slices"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// handle is a function and where it stands:
//
//	idle -> queued    armed
//	queued -> handed  due
//	queued -> idle    stopped, by its owner or with the facility
//	handed -> idle    begun, stopped, or refused by the Executor
type handle struct {
	r     *reference
	f     func()
	state state
	due   time.Duration
	seq   uint64 // of the arming
	err   error
	runs  bool // for stopWaits
}

type state uint8

const (
	idle state = iota
	queued
	handed
)

// refusal is what an Executor has said.
type refusal struct{ cause error }

func (e refusal) Error() string        { return "refused: " + e.cause.Error() }
func (e refusal) Is(target error) bool { return target == timer.ErrRejected }

// admit arms an idle handle, or says in its err why not.
func (h *handle) admit(d time.Duration) {
	r := h.r
	wasStopped, wasPending := r.stopped, r.pending
	if r.broken == armsUnlocked || r.broken == checksUnlocked {
		r.mu.Unlock()
		runtime.Gosched()
		r.mu.Lock()
	}
	limit := r.cfg.PendingLimit
	if r.broken == allowsOneMore && limit > 0 {
		limit++
	}
	switch {
	case r.stopped && !wasStopped && r.broken == armsUnlocked:
	case r.stopped && r.broken != armsAfterStop:
		h.err = r.end
	case limit > 0 && r.broken == checksUnlocked && wasPending < limit:
		r.pending++
		h.arm(d)
	case limit > 0 && r.pending >= limit:
		h.err = timer.ErrSaturated
		r.pending += r.if1(leaksRefused)
	default:
		h.err = nil
		r.pending++
		h.arm(d)
	}
}

// arm puts the handle into the list.
func (h *handle) arm(d time.Duration) {
	r := h.r
	h.due, h.state = r.dueIn(d), queued
	if r.broken != resetKeepsItsPlace || h.seq == 0 {
		r.seq++
		h.seq = r.seq
	}
	if r.broken == losesOneInAThousand && h.seq%1000 == 0 {
		return
	}
	covered := r.brokenCover(h.due)
	i, _ := slices.BinarySearchFunc(r.list, h, r.compare)
	r.list = slices.Insert(r.list, i, h)
	if !covered {
		r.setAlarm()
	}
}

// begin calls the function if the arming that was handed over is still the last.
func (h *handle) begin(seq uint64) {
	r := h.r
	r.mu.Lock()
	current := h.state == handed && h.seq == seq
	if !current && (r.broken != callsWhatIsStale || seq == 0) {
		r.mu.Unlock()
		return
	}
	if current && r.broken != claimsTooLate {
		h.end()
	}
	r.mu.Unlock()
	if r.broken == claimsTooLate {
		defer h.endLate()
	}
	returned := false
	defer func() {
		if value := recover(); !returned {
			r.failed(value)
		}
	}()
	h.f()
	returned = true
}

// end makes a handed handle idle, whose function begins now.
func (h *handle) end() {
	h.state, h.runs = idle, true
	delete(h.r.handed, h)
	if h.r.broken != leaksRun && h.r.broken != freesAtHandOff {
		h.r.pending--
	}
}

func (h *handle) Stop() bool {
	r := h.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.runs && r.broken == stopWaits {
		r.mu.Unlock()
		time.Sleep(time.Hour)
		r.mu.Lock()
	}
	if h.state == idle || r.broken == cannotStopHandedOff && h.state == handed {
		return r.broken == stopLies
	}
	if r.broken == stopsNothing {
		return true
	}
	h.takeBack()
	if r.broken != leaksStopped {
		r.pending--
	}
	return true
}

// takeBack makes an armed handle idle.
func (h *handle) takeBack() {
	r := h.r
	if i, found := slices.BinarySearchFunc(r.list, h, r.compare); found && r.list[i] == h {
		r.list = slices.Delete(r.list, i, i+1)
		r.list = slices.Insert(r.list, i, h.brokenGhosts()...)
	}
	delete(r.handed, h)
	h.state = idle
}

func (h *handle) Reset(d time.Duration) bool {
	r := h.r
	r.mu.Lock()
	defer r.mu.Unlock()
	before, wasArmed := h.err, h.state != idle
	switch {
	case wasArmed && r.broken == resetMovesNothing:
	case wasArmed:
		h.takeBack()
		h.arm(d)
		r.pending += r.if1(resetTakesAPlace)
	case r.broken != armsOnce:
		h.admit(d)
	}
	if r.broken == keepsAnOldErr && before != nil {
		h.err = before
	}
	return wasArmed != (r.broken == resetLies)
}

func (h *handle) Err() error {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	return h.err
}
