package timertest_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// reference is the plainest facility that keeps the whole contract: a sorted list, one alarm, one
// lock. It has a fault if it is told so.
type reference struct {
	cfg    timer.Config
	tick   time.Duration // functions begin at the end of one; zero for at once
	deadly bool          // a function that fails stops the facility
	broken fault
	epoch  time.Time

	mu       sync.Mutex // guards all below, and the fields of handles
	list     []*handle  // queued, by time and number
	handed   map[*handle]bool
	seq      uint64
	pending  int
	stopped  bool
	end      error // Err of what is stopped with the facility or armed later
	alarm    *time.Timer
	set      bool          // the alarm will ring
	rings    time.Duration // then
	draining bool          // a goroutine hands over what is due, and will set the alarm
	wakes    uint64
	woken    time.Duration // the last time
}

func newReference(cfg timer.Config, broken fault) *reference {
	r := &reference{cfg: cfg, broken: broken, epoch: time.Now(), end: timer.ErrClosed, handed: map[*handle]bool{}}
	if r.cfg.Executor == nil {
		r.cfg.Executor = func(f func()) error { go f(); return nil }
	}
	if broken == callsOneAfterTheOther {
		r.cfg.Executor = func(f func()) error { f(); return nil }
	}
	return r
}

func (r *reference) AfterFunc(d time.Duration, f func()) timer.Handle {
	if f == nil && r.broken != takesNil {
		panic("reference: nil function")
	}
	h := &handle{r: r, f: f}
	if d <= 0 && r.broken == callsInline {
		f()
		return h
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h.admit(d)
	return h
}

func (r *reference) compare(a, b *handle) int {
	if r.broken == lastFirst {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(b.seq, a.seq))
	}
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
}

func (r *reference) now() time.Duration { return time.Since(r.epoch) }

func (r *reference) dueIn(d time.Duration) time.Duration {
	now := r.now()
	if due, wrong := r.brokenDue(now, d); wrong {
		return due
	}
	if d = max(d, 0); d > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + d
}

// setAlarm sets the alarm for the head of the list.
func (r *reference) setAlarm() {
	r.brokenIdle()
	if len(r.list) == 0 || r.draining {
		return
	}
	at := r.brokenAlarm(r.list[0].due)
	if r.tick > 0 && at < math.MaxInt64-r.tick {
		at = (at + r.tick - 1).Truncate(r.tick)
	}
	if r.set && (at >= r.rings || r.broken == ignoresAnEarlierHead) {
		return
	}
	r.set, r.rings = true, at
	if r.alarm == nil {
		r.alarm = time.AfterFunc(at-r.now(), r.drain)
		return
	}
	r.alarm.Reset(at - r.now())
}

// drain hands over what is due. Should the Executor end its goroutine, another one goes on.
func (r *reference) drain() {
	r.mu.Lock()
	r.wakes++
	r.set, r.woken = false, r.now()
	wasDraining := r.draining
	r.draining = true
	r.mu.Unlock()
	if !wasDraining {
		r.handOverAll()
	}
}

func (r *reference) handOverAll() {
	alive := false
	defer func() {
		if !alive && r.broken != diesOfGoexit {
			go r.handOverAll()
		}
	}()
	for h, seq := r.next(); h != nil; h, seq = r.next() {
		r.handOver(h, seq)
	}
	alive = true
}

// next takes the head of the list if it is due, and else sets the alarm.
func (r *reference) next() (*handle, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken == dropsWhatIsLate {
		r.dropLate()
	}
	if len(r.list) == 0 || r.list[0].due > r.now()+time.Duration(r.if1(wakesEarly)) {
		r.draining = false
		if r.broken != sleepsAfterWork {
			r.setAlarm()
		}
		return nil, 0
	}
	i := r.brokenHead()
	h := r.list[i]
	r.list = slices.Delete(r.list, i, i+1)
	if h.state == idle {
		return h, 0 // left here by keepsWhatIsStopped
	}
	h.state = handed
	r.handed[h] = true
	if r.broken == freesAtHandOff {
		r.pending--
	}
	return h, h.seq
}

func (r *reference) handOver(h *handle, seq uint64) {
	if r.broken == handsOverTwice {
		_ = r.cfg.Executor(func() {})
	}
	err := r.cfg.Executor(func() { h.begin(seq) })
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.state != handed || h.seq != seq {
		return
	}
	h.state = idle
	delete(r.handed, h)
	if r.broken != leaksRefusedHandOff {
		r.pending--
	}
	if r.broken != hidesARefusal {
		h.err = refusal{err}
	}
}

// failed takes in the panic of a function, or nil for a Goexit.
func (r *reference) failed(value any) {
	if r.deadly && r.broken != outlivesFailure {
		r.die(value)
	}
	if r.deadly {
		return
	}
	if value == nil {
		value = timer.ErrGoexit
	}
	switch told := r.cfg.OnPanic; {
	case r.broken == tellsNoPanic:
	case told != nil:
		told(value, debug.Stack())
	default:
		slog.Error("reference: a function has panicked", "value", value)
	}
	r.brokenPanic()
}

// die stops the facility because a function has failed.
func (r *reference) die(value any) {
	r.mu.Lock()
	if r.broken != hidesTheCause {
		r.end = fmt.Errorf("%w: a function has ended by %v", timer.ErrClosed, value)
	}
	r.mu.Unlock()
	r.stop()
}

// stop ends the facility and returns what was armed.
func (r *reference) stop() []timer.Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.brokenStop()
	if r.stopped && r.broken == returnsAgain {
		return []timer.Handle{&handle{r: r}}
	}
	r.stopped = true
	if r.broken == goesOnAfterStop {
		return nil
	}
	var returned []timer.Handle
	for h := range r.handed {
		returned = append(returned, h)
	}
	for _, h := range r.list {
		returned = append(returned, h)
	}
	if r.broken == forgetsOneAtStop && len(returned) > 1 {
		returned = returned[1:]
	}
	for _, h := range returned {
		h := h.(*handle)
		h.takeBack()
		if r.broken != stopsWithoutErr {
			h.err = r.end
		}
	}
	r.pending -= len(returned)
	r.list = nil
	return returned
}

func (r *reference) wakeUps() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wakes
}
