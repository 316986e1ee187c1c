package pairs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// newRecord begins the record of a task.
func (l *life) newRecord(t *task) *record {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &record{t: t, id: len(l.records), cancelled: -1, submitted: l.now()}
	l.records = append(l.records, r)
	l.byTask[t] = r
	if !t.unnamed {
		l.byName[t.name()] = r
	}
	return r
}

func (l *life) recordOf(t *task) *record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byTask[t]
}

func (l *life) named(name string) *record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byName[name]
}

func (l *life) allRecords() []*record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records)
}

// submit submits the task of a record.
func (l *life) submit(r *record) {
	l.count1()
	defer func() {
		v := recover()
		l.mu.Lock()
		defer l.mu.Unlock()
		if v != nil && v != errCallback {
			l.faultLocked(&l.report.Lost, "the submission of %v panics: %v", r.t, v)
		}
		if !r.answered && r.t.way.way != wTurn {
			r.answered, r.panicked, r.answeredAt = true, true, l.now()
		}
	}()
	r.t.way.submit(l, r, l.optionsOf(r))
}

// optionsOf returns the options of a task.
func (l *life) optionsOf(r *record) (all taskOpts) {
	if r.t.way.way&bulkWays != 0 {
		return nil
	}
	for _, u := range r.t.options {
		all = append(all, u.task(l, r.t, u)...)
	}
	if !r.t.unnamed {
		all = append(all, executor.Name(r.t.name()))
	}
	return all
}

// answer notes what the submission of a task has returned.
func (l *life) answer(r *record, f *future.Future[struct{}], err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f != nil {
		r.future, r.outcome = f, f
	}
	r.answered, r.answeredAt, r.err = true, l.now(), err
	if err != nil || r.t.way.way&bulkWays != 0 { // which may succeed though one is refused
		l.refusedAt = l.now()
	}
	if err == nil {
		l.markLocked(r.t.way.Feature, r, 0, 0)
	}
}

// answerWith is answer for a future with a result.
func (l *life) answerWith(r *record, f *future.Future[int], err error) {
	l.mu.Lock()
	if f != nil {
		r.typed, r.outcome = f, f
	}
	l.mu.Unlock()
	l.answer(r, nil, err)
}

func (l *life) answerTimed(r *record, f *executor.ScheduledFuture[struct{}], err error) {
	if f == nil {
		l.answer(r, nil, err)
		return
	}
	l.mu.Lock()
	r.timed, r.handle, r.handled = f, f.Handle, true
	l.mu.Unlock()
	l.answer(r, f.Future, err)
}

func (l *life) answerTyped(r *record, f *executor.ScheduledFuture[int], err error) {
	if f == nil {
		l.answer(r, nil, err)
		return
	}
	l.mu.Lock()
	r.handle, r.handled = f.Handle, true
	l.mu.Unlock()
	l.answerWith(r, f.Future, err)
}

// bulk calls a function that submits several tasks and waits for them.
func (l *life) bulk(r *record, call func(ctx context.Context) error) {
	ctx, cancel := l.limited(r)
	defer cancel()
	r.tainted = true
	l.answer(r, nil, call(ctx))
}

// limited returns a context that ends the wait of the submission of some tasks.
func (l *life) limited(r *record) (context.Context, context.CancelFunc) {
	if r.t.salt%2 == 0 {
		return context.Background(), func() {}
	}
	return l.within(ms * time.Duration(1+r.t.salt%50))
}

func (l *life) serial(r *record) *executor.Serial { return l.serials[r.t.lane] }

// handle returns the handle of a task, if it has one.
func (l *life) handle(r *record) (executor.Handle, bool) {
	l.mu.Lock()
	h, ok := r.handle, r.handled
	l.mu.Unlock()
	if ok || l.pool == nil || r.t.unnamed {
		return h, ok
	}
	for h := range l.pool.Tasks() {
		if h.Name() == r.t.name() {
			return h, true
		}
	}
	return h, false
}

// outcomeOf returns the future of a task, if it has one that its submission has returned by now.
func (l *life) outcomeOf(r *record) outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.outcome
}

// futuresOf returns the future of a task, with or without a result.
func (l *life) futuresOf(r *record) (*future.Future[struct{}], *future.Future[int]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.future, r.typed
}

// give gives a command to a task, and notes its effect.
func (l *life) give(f *Feature, r *record, command func() bool) {
	from := l.now()
	if f.Name == "Resume" || f.Name == "SetPeriod" {
		l.moving(r, move{what: f.Name, from: from, at: from})
	}
	if !command() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.markLocked(f, r, now, now)
	r.moves = append(r.moves, move{what: f.Name, from: from, at: now})
	switch f.Name {
	case "Cancel", "CancelCause", "Stop", "Withdraw":
		if r.cancelled >= 0 && r.t.way.way != wApply {
			l.faultLocked(&l.report.Duplicate, "%v was cancelled at %v, and again", r.t,
				r.cancelled)
		}
		r.cancelled = now
	}
}

// moving notes a command before it is given: what it lets begin may do so before it returns.
func (l *life) moving(r *record, m move) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.moves = append(r.moves, m)
}

// resets resets a task.
func (l *life) resets(r *record, d time.Duration, reset func(time.Duration) bool) bool {
	from := l.now()
	if d <= 0 {
		l.moving(r, move{what: "Reset", from: from, at: from, d: d})
	}
	if !reset(d) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.markLocked(byName["Reset"], r, now, now)
	r.moves = append(r.moves, move{what: "Reset", from: from, at: now, d: d})
	return true
}

// giveCommand gives some command, from a body or a callback.
func (l *life) giveCommand(ctx context.Context, r *record, salt uint64) {
	x := mix(salt)
	if r != nil && x%3 == 0 {
		if h, ok := l.handle(r); ok {
			switch x >> 8 % 4 {
			case 0:
				l.give(byName["Trigger"], r, h.Trigger)
			case 1:
				l.resets(r, 5*ms, h.Reset)
			case 2:
				l.give(byName["Pause"], r, h.Pause)
			case 3:
				l.give(byName["Cancel"], r, h.Cancel)
			}
			return
		}
	}
	if l.pool == nil {
		l.loop.Stats()
		l.extraTask()
		return
	}
	switch x >> 16 % 6 {
	case 0:
		l.pool.Stats()
		l.pool.Queued()
	case 1:
		if l.pool.SetCoreSize(1+int(x>>20%3)) == nil {
			l.resized()
		}
	case 2:
		l.pool.Drain()
	case 3:
		l.resumed(l.now())
		l.pool.Resume()
	case 4:
		l.extraTask()
	case 5:
		for h := range l.pool.Tasks() {
			h.Status()
		}
	}
}

// extraTask submits a task of the life's own, which does nothing.
func (l *life) extraTask() {
	if l.host().Execute(l.extraBody, executor.Name("extra")) == nil {
		l.extra(1)
	}
}

func (l *life) extraBody(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.extraRuns++
	return nil
}

func (l *life) extra(n int) {
	l.mu.Lock()
	l.extras += n
	l.mu.Unlock()
}

// ticks is a calendar of its own: every so often on the wall clock.
type ticks struct {
	l      *life
	r      *record
	start  time.Time
	period time.Duration
}

// Next returns the next tick.
func (t *ticks) Next(after time.Time) time.Time {
	if t.l.tickCalls(t.r) {
		t.l.called(byName["On"], t.r.t.name())
	}
	n := after.Sub(t.start)/t.period + 1
	if after.Before(t.start) {
		n = 0
	}
	return t.start.Add(n * t.period)
}

func (l *life) tickCalls(r *record) bool { return r.answered }

// calendar returns the calendar of a task.
func (l *life) calendar(r *record) executor.Calendar {
	return &ticks{l, r, l.at(r.t.at + r.t.delay + ms), r.t.period}
}

// child makes a task that a body submits.
func (l *life) child(r *record, b *bodyRun) *record {
	x := mix(b.salt + 99)
	way := "Submit"
	if l.pool != nil && r.t.way.way&laneWays == 0 && r.t.id < 1000 && x%3 == 0 {
		way = []string{"Serial.Submit", "KeyedSerial.Submit"}[x>>4%2]
	}
	l.mu.Lock()
	r.children++ // several bodies of one task may run at the same time
	id := 1000*(r.id+1) + r.children
	l.mu.Unlock()
	t := &task{id: id, way: &use{byName[way], x}, at: l.now(),
		lane: int(x >> 8 % 2), takes: ms * time.Duration(1+x>>12%8), salt: x,
		bodies: []*Feature{byName["body succeeds"]}, period: 10 * ms}
	if x>>16%3 == 0 {
		t.bodies = []*Feature{byName["body fails"], byName["body succeeds"]}
		t.options = []*use{{byName["Retry"], x}}
	}
	return l.newRecord(t)
}

// waitForChild submits a task and waits for it, in one of many ways.
func (l *life) waitForChild(ctx context.Context, r *record, b *bodyRun) {
	c := l.child(r, b)
	l.submit(c)
	l.mu.Lock()
	f, ok := c.future, c.accepted()
	if c.typed != nil {
		ok = false
	}
	l.mu.Unlock()
	if !ok || f == nil {
		return
	}
	x := mix(b.salt + 7)
	limit := ms * time.Duration(1+x>>8%40)
	from := l.now()
	switch x % 3 {
	case 0:
		_, _ = f.Get(ctx)
		return
	case 1:
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		_, _ = f.Get(limited)
	case 2:
		_, _ = f.GetTimeout(limit)
	}
	if l.now() > from+limit && !l.single {
		l.fault(&l.report.Late, "a wait of %v in a body took %v", limit, l.now()-from)
	}
}

// describe names a record in reports.
func (r *record) String() string {
	s := fmt.Sprintf("{%v}", r.t)
	if len(r.bodies) > 6 {
		s += " …"
	}
	for _, b := range r.bodies[max(0, len(r.bodies)-6):] {
		s += fmt.Sprintf(" [%v-%v due %v", b.began, b.ended, b.due)
		if b.run.Attempt > 0 {
			s += fmt.Sprint(" attempt ", b.run.Attempt)
		}
		if b.run.Triggered {
			s += " triggered"
		}
		s += "]"
	}
	return s
}
