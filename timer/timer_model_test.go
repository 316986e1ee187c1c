package timer_test

import (
	"cmp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer"
)

// timerModel is a Timer and what it should do: a list of tasks, some of them those of handles,
// sorted by time, then by order of scheduling. Time is that since the start.
type timerModel struct {
	timer *timer.Timer
	start time.Time

	in   []*modelled // the heap: cancelled ones are shells
	all  []*modelled // the tasks
	fs   []*aHandle
	seq  int
	ran  []aModelRun   // what the timer did
	want []aModelRun   // what it should have done
	next time.Duration // when the goroutine looks at the heap again
	busy bool          // it runs a task until then
	over bool
}

type modelled struct {
	id        int
	task      *timer.Task
	when      time.Duration
	seq       int
	period    time.Duration // signed, as in the timer
	lasting   time.Duration
	scheduled bool
	cancelled bool
	begun     bool // the only run
	at        time.Duration
}

type aModelRun struct {
	id          int
	at, planned time.Duration
}

func TestTimerAgreesWithASortedList(t *testing.T) {
	for range 10 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, compareTimer) })
	}
}

func compareTimer(t *rapid.T) {
	m := &timerModel{timer: timer.New("model"), start: time.Now(), next: longest}
	defer func() {
		m.timer.Cancel()
		time.Sleep(time.Hour) // for a task that runs
	}()
	t.Repeat(map[string]func(*rapid.T){
		"Schedule":    m.schedule,
		"ScheduleAt":  m.scheduleAt,
		"Repeat":      m.repeat,
		"AtFixedRate": m.atFixedRate,
		"Task.Cancel": m.cancelTask,
		"again":       m.again,
		"Purge":       m.purge,
		"AfterFunc":   m.afterFunc,
		"Handle.Stop": m.stopHandle,
		"Reset":       m.reset,
		"time":        m.advance,
		"more time":   m.advance,
		"Cancel":      m.cancel,
		"":            m.check,
	})
}

// Few and coarse times, so that ties happen, and a period may be shorter than a run.
func drawTicks(t *rapid.T, from, to int, label string) time.Duration {
	return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * ms
}

func (m *timerModel) now() time.Duration { return time.Since(m.start) }

// newTask returns a task that tells the model of its runs.
func (m *timerModel) newTask(t *rapid.T) *modelled {
	k := &modelled{id: len(m.all), lasting: drawTicks(t, 0, 2, "lasting")}
	k.task = timer.NewTask(func() {
		m.ran = append(m.ran, aModelRun{k.id, m.now(), k.task.ScheduledTime().Sub(m.start)})
		time.Sleep(k.lasting)
	})
	m.all = append(m.all, k)
	return k
}

// queued notes that k has been scheduled, unless it should have been refused.
func (m *timerModel) queued(t *rapid.T, k *modelled, err error, when, period time.Duration) {
	switch {
	case m.over && err == timer.ErrClosed, !m.over && (k.scheduled || k.cancelled) && err == timer.ErrTaskUsed:
		return
	case m.over || k.scheduled || k.cancelled || err != nil:
		t.Fatalf("scheduling task %d: %v", k.id, err)
	}
	k.scheduled, k.when, k.at, k.period = true, when, when, period
	m.enlist(k)
}

// enlist puts k, which has its time, into the heap, and wakes the goroutine if need be.
func (m *timerModel) enlist(k *modelled) {
	m.seq++
	k.seq = m.seq
	idle := len(m.in) == 0
	m.in = append(m.in, k)
	m.sort()
	if !m.busy && (idle || m.in[0] == k) {
		m.look(m.now())
	}
}

func (m *timerModel) schedule(t *rapid.T) {
	k, delay := m.newTask(t), drawTicks(t, 0, 6, "delay")
	if rapid.IntRange(0, 9).Draw(t, "never") == 0 {
		delay = longest
	}
	when := m.now() + delay
	if delay > longest-m.now() {
		when = longest
	}
	m.queued(t, k, m.timer.Schedule(k.task, delay), when, 0)
}

func (m *timerModel) scheduleAt(t *rapid.T) {
	k, at := m.newTask(t), m.now()+drawTicks(t, -6, 6, "from now")
	m.queued(t, k, m.timer.ScheduleAt(k.task, m.start.Add(at)), at, 0)
}

func (m *timerModel) repeat(t *rapid.T) {
	k, delay, period := m.newTask(t), drawTicks(t, 0, 6, "delay"), drawTicks(t, 1, 5, "period")
	m.queued(t, k, m.timer.Repeat(k.task, delay, period), m.now()+delay, -period)
}

func (m *timerModel) atFixedRate(t *rapid.T) {
	k, at, period := m.newTask(t), m.now()+drawTicks(t, -6, 6, "from now"), drawTicks(t, 1, 5, "period")
	m.queued(t, k, m.timer.AtFixedRateAt(k.task, m.start.Add(at), period), at, period)
}

func (m *timerModel) some(t *rapid.T) *modelled {
	if len(m.all) == 0 {
		t.Skip("no task yet")
	}
	return m.all[rapid.IntRange(0, len(m.all)-1).Draw(t, "id")]
}

// again schedules a task that has been scheduled, or refused, before.
func (m *timerModel) again(t *rapid.T) {
	k := m.some(t)
	m.queued(t, k, m.timer.Schedule(k.task, ms), m.now()+ms, 0)
}

func (m *timerModel) cancelTask(t *rapid.T) {
	k := m.some(t)
	want := k.scheduled && !k.cancelled && !k.begun && !m.over
	if got := k.task.Cancel(); got != want {
		t.Fatalf("Cancel of task %d = %v, want %v", k.id, got, want)
	}
	if !k.begun && (!m.over || !k.scheduled) {
		k.cancelled = true
	}
}

func (m *timerModel) purge(t *rapid.T) {
	before := len(m.in)
	m.in = slices.DeleteFunc(m.in, func(k *modelled) bool { return k.cancelled })
	if got := m.timer.Purge(); got != before-len(m.in) {
		t.Fatalf("Purge() = %d, want %d", got, before-len(m.in))
	}
	if len(m.in) == 0 && !m.busy {
		m.next = longest
	}
}

// cancel comes late and seldom.
func (m *timerModel) cancel(t *rapid.T) {
	if len(m.all) < 10 || rapid.IntRange(0, 3).Draw(t, "chance") > 0 {
		t.Skip("too early")
	}
	m.timer.Cancel()
	m.over, m.in = true, nil
	if !m.busy {
		m.next = longest
	}
}

func (m *timerModel) advance(t *rapid.T) {
	time.Sleep(drawTicks(t, 1, 4, "time"))
	for m.next <= m.now() {
		m.look(m.next)
	}
}

// look is what the goroutine does when it is not busy, at a time gone by or now: it drops the
// shells on top and runs what is due, until there is something to wait for.
func (m *timerModel) look(now time.Duration) {
	for len(m.in) > 0 {
		switch k := m.in[0]; {
		case k.cancelled:
			m.in = m.in[1:]
		case k.when > now:
			m.next, m.busy = k.when, false
			return
		default:
			m.run(k, now)
			if k.lasting > 0 {
				m.next, m.busy = now+k.lasting, true
				return
			}
		}
	}
	m.next, m.busy = longest, false
}

// run is a run of k that begins now.
func (m *timerModel) run(k *modelled, now time.Duration) {
	switch {
	case k.period == 0:
		m.in, k.begun = m.in[1:], true
	case k.period < 0:
		k.at, k.when = now, now-k.period
	default:
		k.at, k.when = k.when, k.when+k.period
	}
	m.want = append(m.want, aModelRun{k.id, now, k.at})
	m.sort()
}

func (m *timerModel) sort() {
	slices.SortFunc(m.in, func(a, b *modelled) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
}

func (m *timerModel) check(t *rapid.T) {
	synctest.Wait()
	if !slices.Equal(m.ran, m.want) {
		t.Fatalf("at %v the timer has run\n%v, want\n%v", m.now(), m.ran, m.want)
	}
	for _, k := range m.all {
		switch got := k.task.ScheduledTime(); {
		case !k.scheduled && !got.IsZero():
			t.Fatalf("task %d was never scheduled, but for %v", k.id, got)
		case k.scheduled && got.Sub(m.start) != k.at:
			t.Fatalf("task %d is for %v, want %v", k.id, got.Sub(m.start), k.at)
		}
	}
	m.checkHandles(t)
	if n := timer.Queued(m.timer); n != len(m.in) {
		t.Fatalf("%d tasks are queued, want %d", n, len(m.in))
	}
	if !m.busy {
		if err := timer.Validate(m.timer); err != nil {
			t.Fatal(err)
		}
	}
}
