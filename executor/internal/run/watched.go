package run

import (
	"context"
	"iter"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/lateness"
)

// Overview: a run is watched if there are hooks or observers, or if the owner measures. Then Start,
// which has the lock in any case, describes the run, records how late it is, and finds out why if
// it is too late; Begin and Finish pass that on, without the lock; Count, which has it again, notes
// that the run has ended. A run that has expired is explained by Skip instead, which finds that
// out, passed on by Finish, and noted by Count.

// Insight is what an owner keeps so that it can tell how late its runs were, and why. The owner's
// lock guards it.
type Insight struct {
	All   Kind
	Kinds map[string]*Kind // by name; those beyond [mostKinds] share one
	Parts [Parts]time.Duration

	// Late runs that have not been explained, as there were too many at a time.
	Unexplained uint64

	ledger   lateness.Ledger
	after    int64 // runs later than that are explained; never, if negative
	told     int64 // and told to observers if they are later than that
	allowed  int64 // explanations that may still be made
	refilled int64 // when that was last increased
	heldFrom int64 // since when nothing is to start; 0 if all may
}

// Kind is what is kept of the tasks of one name.
type Kind struct {
	Name     string
	Late     lateness.Histogram
	Took     lateness.Histogram
	Failures uint64
	Expired  uint64 // runs that have not begun in time
	Missed   uint64 // periods without a run of their own
	Success  int64  // when a run last succeeded; 0 before that

	episode episode
}

// The parts of a lateness, as indices into [Insight.Parts].
const (
	PartClock = iota
	PartPrevious
	PartHeld
	PartBusy
	PartQueue
	PartSlack
	PartWake
	Parts
)

const (
	// mostKinds bounds the names that are told apart.
	mostKinds = 200
	// Other is the name of the kind of those beyond.
	Other = "other"

	// At most so many late runs are explained at once, and so many a second after that: to do so
	// for each of a hundred thousand would make the rest later still.
	explainedAtOnce  = 100
	explainedASecond = 100

	// usuallyLate is how late a run is told to observers, if nobody says otherwise.
	usuallyLate = 10 * time.Millisecond
)

// waited is what a run has waited for.
type waited struct {
	late    bool // later than the threshold, and explained
	clock   int64
	total   int64
	reasons lateness.Reasons
	why     *Lateness // the same, if it is to be remembered
}

// Open makes the owner ready for its first task. Hooked says whether it has hooks around runs.
func (o *Owner) Open(hooked bool) {
	tells := o.Observers != nil && o.Observers.Late != nil
	if o.Measure != nil {
		o.Insight = &Insight{Kinds: map[string]*Kind{}, after: -1, allowed: explainedAtOnce}
		o.Insight.setThresholds(&o.Settings, tells)
	}
	if o.Settings.History != nil {
		o.Past = new(History)
	}
	if o.Record != nil {
		o.Recorder = o.Record(o)
	}
	o.described = hooked || o.Observers != nil
	o.Watched = o.described || o.Insight != nil
}

// setThresholds sets from when on late runs are explained, and told. Tells says whether there are
// observers who want to know.
func (in *Insight) setThresholds(s *Settings, tells bool) {
	switch {
	case s.Explain != nil:
		in.after = int64(*s.Explain)
	case tells:
		in.after = int64(usuallyLate)
	}
	in.told = in.after
	if s.History != nil && in.after < 0 {
		in.after = int64(usuallyLate)
	}
	if s.Snap != nil && (in.after < 0 || int64(*s.Snap) < in.after) {
		in.after = int64(*s.Snap)
	}
}

// watch notes the start of a run. The lock is held.
func (x *Execution) watch(c *cell.Cell, pl *Plan) {
	x.info.Number, x.wait.late, x.wait.clock, x.wait.why = 0, false, 0, nil
	if x.skip != noSkip {
		return
	}
	if x.Owner.described {
		x.info = x.Owner.DescribeLocked(c, pl)
	}
	if x.Owner.Insight != nil {
		x.measure(c, pl)
	}
}

// measure records how late the run is, and why if it is too late. The lock is held.
func (x *Execution) measure(c *cell.Cell, pl *Plan) {
	x.Owner.Insight.assign(pl)
	x.measureClock(c, pl)
	if !pl.onCalendar() { // else reckon does it, once it is known that there is a run
		x.record(c, pl)
	}
}

// measureClock finds out how late the wall clock has made the run. The lock is held.
func (x *Execution) measureClock(c *cell.Cell, pl *Plan) {
	late := c.Started - x.due
	if pl.Dates != nil && !pl.Extra() && pl.Attempt() <= 1 && pl.Jitter == 0 {
		if m := pl.Dates.Slot(); !m.IsZero() {
			if x.info.Number == 0 {
				x.info = x.Owner.DescribeLocked(c, pl)
			}
			x.wait.clock = max(int64(x.info.Started.Sub(m))-late, 0)
		}
	}
}

// record is the part of measure for what begins. The lock is held.
func (x *Execution) record(c *cell.Cell, pl *Plan) {
	in := x.Owner.Insight
	late := c.Started - x.due + x.wait.clock
	x.wait.total = late
	in.All.Late.Record(time.Duration(late))
	if pl.kind != nil {
		pl.kind.Late.Record(time.Duration(late))
	}
	switch {
	case in.after < 0 || late == 0 || late <= in.after:
	case !in.mayExplain(c.Started):
		in.Unexplained++
	default:
		x.explain(c, pl)
	}
}

// expire explains why a run has expired, if late runs are explained: however short it has waited,
// that was too long. The lock is not held.
func (x *Execution) expire() {
	o, c, pl := x.Owner, x.Task, x.Plan
	o.Lock.Lock()
	defer o.Lock.Unlock()
	in := o.Insight
	in.assign(pl)
	if !pl.onCalendar() { // else measure has done it
		x.measureClock(c, pl)
	}
	x.wait.total = c.Started - x.due + x.wait.clock
	switch {
	case in.after < 0:
	case !in.mayExplain(c.Started):
		in.Unexplained++
	default:
		x.explain(c, pl)
	}
}

func (x *Execution) explain(c *cell.Cell, pl *Plan) {
	in := x.Owner.Insight
	x.wait.late = true
	w := lateness.Wait{Due: x.due, Freed: max(pl.lastEnd(), x.Freed), Start: c.Started,
		Meant: x.Meant, Limit: x.Owner.Limit()}
	if in.heldFrom > 0 { // a helper runs it all the same
		now := x.Owner.Clock.Now()
		in.ledger.Hold(in.heldFrom, now)
		in.heldFrom = now
	}
	x.wait.reasons = in.ledger.Explain(w, x.others())
	r := &x.wait.reasons
	for part, ns := range [...]int64{PartClock: x.wait.clock, PartPrevious: r.Previous,
		PartHeld: r.Held, PartBusy: r.Busy, PartQueue: r.Queue, PartSlack: r.Slack,
		PartWake: r.Wake} {
		in.Parts[part] = lateness.Added(in.Parts[part], time.Duration(ns))
	}
}

// others yields the other runs that are in progress.
func (x *Execution) others() iter.Seq[lateness.Span] {
	return func(yield func(lateness.Span) bool) {
		for other := range x.Owner.Running {
			// What is aside has no worker.
			if other == x || other.Task == nil || other.Aside != noSkip {
				continue
			}
			if !yield(other.span(0)) {
				return
			}
		}
	}
}

// span returns the run as the ledger keeps it.
func (x *Execution) span(end int64) lateness.Span {
	number := uint64(1)
	if x.Plan.Periodic() {
		number = x.Plan.Runs
	}
	return lateness.Span{Name: x.Plan.Name, Number: number, Start: x.Task.Started, End: end}
}

// noteLocked notes the end of a run. The lock is held.
func (x *Execution) noteLocked() {
	in, pl := x.Owner.Insight, x.Plan
	in.ledger.Note(x.span(x.ended))
	took := time.Duration(x.ended - x.Task.Started)
	in.All.Took.Record(took)
	var missed uint64
	if pl.Periodic() && !pl.Extra() {
		missed = pl.Lost()
	}
	x.noteKind(&in.All, missed)
	if pl.kind != nil {
		pl.kind.Took.Record(took)
		x.noteKind(pl.kind, missed)
	}
	if x.Owner.Past != nil {
		x.Owner.Past.note(x)
	}
}

func (x *Execution) noteKind(k *Kind, missed uint64) {
	switch {
	case x.Failed:
		k.Failures++
	case x.Err == nil: // not a failed attempt, nor cancelled
		k.Success = x.ended
	}
	k.Missed += missed
}

// noteExpired notes that the run has expired. It counts the periods that this has lost if no other
// run comes that could be told of them. The lock is held.
func (x *Execution) noteExpired() {
	in, pl := x.Owner.Insight, x.Plan
	if !pl.Periodic() {
		pl.overtime.over = true
	}
	if in == nil {
		return
	}
	var lost uint64
	if x.Done && pl.Periodic() {
		lost = pl.Lapsed()
	}
	in.All.noteExpired(lost)
	if pl.kind != nil {
		pl.kind.noteExpired(lost)
	}
	if x.Owner.Past != nil {
		x.Owner.Past.noteExpired(x)
	}
}

func (k *Kind) noteExpired(lost uint64) {
	k.Expired++
	k.Missed += lost
}

// HoldLocked tells that nothing is to start, or that all may again. The lock is held.
func (o *Owner) HoldLocked(held bool) {
	if !held {
		for _, e := range o.expectations {
			o.resumeExpectedLocked(e)
		}
	}
	in := o.Insight
	switch {
	case in == nil || held == (in.heldFrom > 0):
	case held:
		in.heldFrom = o.Clock.Now()
	default:
		in.ledger.Hold(in.heldFrom, o.Clock.Now())
		in.heldFrom = 0
	}
}

// HeldUntilLocked tells that nothing is to start between two moments. The lock is held.
func (o *Owner) HeldUntilLocked(from, to int64) {
	if o.Insight != nil {
		o.Insight.ledger.Hold(from, to)
	}
}

// kindOf returns the kind of tasks of this name.
func (in *Insight) kindOf(name string) *Kind {
	k := in.Kinds[name]
	if k == nil && len(in.Kinds) >= mostKinds {
		name = Other
		k = in.Kinds[name]
	}
	if k == nil {
		k = &Kind{Name: name}
		in.Kinds[name] = k
	}
	return k
}

// assign has the plan know the kind of its tasks.
func (in *Insight) assign(pl *Plan) {
	if pl.kind == nil && pl.Name != "" {
		pl.kind = in.kindOf(pl.Name)
	}
}

// kind returns the kind of the plan's tasks; those without a name have that of all.
func (in *Insight) kind(pl *Plan) *Kind {
	if pl.kind == nil {
		return &in.All
	}
	return pl.kind
}

// mayExplain reports whether another late run may be explained.
func (in *Insight) mayExplain(now int64) bool {
	const each = int64(time.Second) / explainedASecond
	if more := (now - in.refilled) / each; more > 0 {
		in.allowed = min(in.allowed+min(more, explainedAtOnce), explainedAtOnce)
		in.refilled = now
	}
	if in.allowed == 0 {
		return false
	}
	in.allowed--
	return true
}

// Begin tells observers that a run begins, before the hooks and the body.
func (x *Execution) Begin() {
	// Each is deferred behind the one before, which may end the goroutine.
	if x.wait.late {
		defer x.tellLate()
	}
	if obs := x.Owner.Observers; obs != nil {
		x.describe()
		if x.Owner.Recorder != nil {
			x.Owner.Recorder.Began(x.Task, x.info, x.due)
		}
		if x.info.Missed > 0 {
			defer tell(x.Owner, "missed", x.info, obs.Missed)
		}
		obs.Began.Each(x.tellBegan)
	}
}

func (x *Execution) tellBegan(f func(context.Context, Info) context.Context) {
	x.Owner.Guard("began", x.info, func() {
		if ctx := f(x.Ctx, x.info); ctx != nil {
			x.Ctx = ctx
		}
	})
}

func (x *Execution) tellEnded(f func(context.Context, Info, error)) {
	x.Owner.Guard("ended", x.info, func() { f(x.Ctx, x.info, x.Err) })
}

// tellLate tells those who want to know, and the log, why the run is late, or has expired.
func (x *Execution) tellLate() {
	o, late, info := x.Owner, x.lateness(), x.describe()
	if o.Past != nil {
		x.wait.why = &late
	}
	o.Snaps.Each(func(f Snap) {
		f(info, late, func(hook func()) { o.Guard("on-late", info, hook) })
	})
	if in := o.Insight; in.told < 0 || !late.Expired && int64(late.Total) <= in.told {
		return
	}
	if o.Explain != nil {
		defer x.logLate(&late, info) // also if an observer ends the goroutine
	}
	if obs := o.Observers; obs != nil {
		obs.Late.Each(func(f func(context.Context, Info, Lateness)) {
			o.Guard("late", info, func() { f(x.within(), info, late) })
		})
	}
}

// within returns the context of the run. One that has expired has none, but that of the owner.
func (x *Execution) within() context.Context {
	switch {
	case x.skip != tardy:
		return x.Ctx
	case x.Plan.Given != nil:
		return x.Plan.Given
	}
	return context.Background()
}

// logLate logs why the run is late, unless that has been logged of others a moment ago.
func (x *Execution) logLate(late *Lateness, info Info) {
	o := x.Owner
	o.Lock.Lock()
	e := &o.Insight.kind(x.Plan).episode
	notable, suppressed := e.late(x.Task.Started)
	count := e.count
	o.Lock.Unlock()
	if notable {
		o.log(slog.LevelWarn, late.Text(info.Name, info.Number), info,
			slog.Duration("late", late.Total), slog.Uint64("episode", count),
			slog.Uint64("suppressed", suppressed))
	}
}

// lateness returns what the run has waited for, to be told.
func (x *Execution) lateness() Lateness {
	r := &x.wait.reasons
	l := Lateness{
		Clock: time.Duration(x.wait.clock), Previous: time.Duration(r.Previous),
		Held: time.Duration(r.Held), Busy: time.Duration(r.Busy), Queue: time.Duration(r.Queue),
		Slack: time.Duration(r.Slack), Wake: time.Duration(r.Wake), Partial: r.Partial,
		Expired: x.skip == tardy,
	}
	l.Total = l.Clock + l.Previous + l.Held + l.Busy + l.Queue + l.Slack + l.Wake
	if l.Wake >= time.Millisecond {
		l.Collector = min(pausesSince(time.Now().Add(-l.Wake)), l.Wake)
	}
	for _, h := range r.Holders {
		by := Info{Name: h.Name, Number: h.Number, Started: x.Owner.Clock.Time(h.Start)}
		l.Holders = append(l.Holders, Holder{by, time.Duration(h.End - h.Start)})
	}
	return l
}

// pausesSince returns for how long the collector has stopped the world since a moment.
func pausesSince(from time.Time) (sum time.Duration) {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	for i, end := range stats.PauseEnd {
		if end.Before(from) {
			break // the latest come first
		}
		sum += stats.Pause[i]
	}
	return sum
}

// Finish tells observers that the body has ended, after the hooks. It is called even if a hook or
// handler ends the goroutine.
func (x *Execution) Finish() {
	if x.skip == tardy && x.wait.late {
		defer x.tellLate() // also if an observer ends the goroutine
	}
	obs := x.Owner.Observers
	if obs == nil || x.skip == early {
		return
	}
	if x.Done && x.Plan.HandedBack() {
		x.Owner.tellDropped(x.Task, x.Plan, x.Task.Err(), false)
	}
	if x.Owner.Recorder != nil {
		x.recordEnd()
	}
	if x.skip == beyond || x.skip == lost {
		return // it has not begun
	}
	x.describe()
	if x.skip == tardy {
		tell(x.Owner, "expired", x.info, obs.Expired)
		return
	}
	defer obs.Ended.Each(x.tellEnded) // also if another observer ends the goroutine
	if x.overrun && !x.noted {
		tell(x.Owner, "overran", x.info, obs.Overran)
	}
}

// tell calls observers of one kind.
func tell(o *Owner, event string, info Info, hooks Hooks[func(Info)]) {
	hooks.Each(func(f func(Info)) { o.Guard(event, info, func() { f(info) }) })
}
