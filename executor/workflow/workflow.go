package workflow

import (
	"context"
	"sync"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Workflow is the jobs of a pool that follow each other. Make one with [New]; it is safe for
// concurrent use and must not be copied. Its Apply takes the place of that of the pool, whose jobs
// are those of one workflow.
type Workflow struct {
	pool *executor.ScheduledPool
	feed *feed

	// The mutex is held while the pool is asked for a run; so it comes before the lock of that.
	mu   sync.Mutex
	now  *network
	next *network // about to take the place of now, while Apply is at work; else nil
}

// New returns a workflow without jobs. It panics if pool is nil.
func New(pool *executor.ScheduledPool) *Workflow {
	if pool == nil {
		panic("workflow: nil pool")
	}
	w := &Workflow{pool: pool, now: newNetwork(nil, new(network))}
	w.feed = &feed{id: make(chan struct{}), to: w}
	return w
}

// Apply makes the given jobs the ones that the pool has, and has them follow each other as they
// say. It does what [executor.ScheduledPool.Apply] does, with its errors; a job that from now on
// follows others, or on other conditions, is among those changed, even if nothing else of it is.
// What is wrong with After comes first, and is [executor.ErrInvalid], with the name of the job.
// While a call is at work, which may call calendars and observers, another gets
// [executor.ErrRejected].
func (w *Workflow) Apply(jobs ...Job) (executor.Changes, error) {
	return w.apply(jobs, func(s step) (executor.Changes, error) { return w.pool.Apply(s.plain...) })
}

// Plan returns what [Workflow.Apply] would do now, and does nothing.
func (w *Workflow) Plan(jobs ...Job) (executor.Changes, error) {
	s, err := w.step(jobs, false)
	if err != nil {
		return executor.Changes{}, err
	}
	changes, err := w.pool.Plan(s.plain...)
	return s.relinked(changes), err
}

// ApplyPlan is [Workflow.Apply] if that does precisely what the plan says. Otherwise it does
// nothing, and returns what Apply would do now, with [executor.ErrInvalid].
func (w *Workflow) ApplyPlan(plan executor.Changes, jobs ...Job) (executor.Changes, error) {
	return w.apply(jobs, func(s step) (executor.Changes, error) {
		now, err := w.pool.Plan(s.plain...)
		if err == nil && !equal(s.relinked(now), plan) {
			err = w.misuse("", "the plan is stale: the jobs have changed since")
		}
		if err != nil {
			return now, err
		}
		return w.pool.ApplyPlan(now, s.plain...)
	})
}

// step leads from a network to the next.
type step struct {
	plain    []executor.Job // as the pool is given them
	from, to *network
}

// apply checks jobs, and has them applied by a function.
func (w *Workflow) apply(
	jobs []Job, by func(step) (executor.Changes, error),
) (changes executor.Changes, err error) {
	s, err := w.step(jobs, true)
	if err != nil {
		return changes, err
	}
	done := false
	defer func() { w.close(done) }() // also if a callback of the user's ends the goroutine
	changes, err = by(s)
	done = err == nil
	return s.relinked(changes), err
}

// step checks jobs and returns the step to them, which is the only one until close if it opens.
func (w *Workflow) step(jobs []Job, opens bool) (s step, err error) {
	jobs, wrong := completed(jobs)
	if wrong != nil {
		return s, w.misuse(wrong.job, wrong.text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s = step{w.plain(jobs), w.now, newNetwork(jobs, w.now)}
	switch {
	case !opens:
	case w.next != nil:
		return s, w.runs().Refusal("", "the jobs are being applied by another call",
			executor.ErrRejected)
	default:
		w.next = s.to
	}
	return s, nil
}

// close ends what step has begun. What has happened meanwhile may be enough for runs of the new
// jobs, and tasks that were asked for runs may have been replaced.
func (w *Workflow) close(done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.next
	if w.next = nil; !done {
		return
	}
	w.now = next
	for _, at := range next.nodes {
		if task, ok := w.pool.Job(at.name); ok {
			at.revive(w, task)
		}
		at.follow(w)
	}
}

// plain returns jobs as the pool is given them.
func (w *Workflow) plain(jobs []Job) []executor.Job {
	plain := make([]executor.Job, len(jobs))
	for i, j := range jobs {
		plain[i] = j.Job
		opts := append([]executor.TaskOption(nil), j.Options...)
		plain[i].Options = append(opts, following{w.feed})
		if len(j.After) > 0 && j.Task != nil {
			plain[i].Task = w.body(j.Name, j.Task)
		}
	}
	return plain
}

// body is the task of a job that follows others: its context has the causes of the run.
func (w *Workflow) body(name string, task executor.Task) executor.Task {
	return func(ctx context.Context) error {
		r, _ := executor.RunFrom(ctx)
		h, _ := executor.HandleFrom(ctx)
		if causes := w.begin(name, h, r.Number); len(causes) > 0 {
			ctx = context.WithValue(ctx, causesKey{}, causes)
		}
		return task(ctx)
	}
}

// begin returns the causes of a run that begins. The job may have gone meanwhile.
func (w *Workflow) begin(name string, task executor.Handle, number uint64) []Cause {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.now.named[name]
	if at == nil && w.next != nil {
		at = w.next.named[name] // it is as fast as Apply
	}
	if at == nil {
		return nil
	}
	return at.begin(task, number)
}

// ended is called when a run of a job of the pool has ended.
func (w *Workflow) ended(last executor.LastRun, how outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.ended(w, last.Name, how, last, w.next)
}

// ask is that of [asker].
func (w *Workflow) ask(name string) (task executor.Handle, number uint64, ok bool) {
	task, ok = w.pool.Job(name)
	if !ok {
		return task, 0, false
	}
	c := cell.Ref(task).Cell()
	owner, pl := w.pool.Native().Pool.Host().Plan(c)
	number, ok = owner.Ask(c, pl)
	return task, number, ok
}

// runs is what knows the name of the pool.
func (w *Workflow) runs() *run.Owner { return w.pool.Native().Pool.Runs() }

// misuse is the error of a call with something wrong, with the names of the pool and of the job.
func (w *Workflow) misuse(job, text string) error {
	return w.runs().Misuse(job, run.Invalid("%s", text))
}

// feed is told of the runs of all jobs of a workflow. It is the same for each, so that jobs are not
// changed by it; two of them are not alike, by the field that is compared first.
type feed struct {
	id chan struct{}
	to *Workflow
}

// RunEnded is that of [series.Follower].
func (f *feed) RunEnded(ended any, failure bool) {
	r := ended.(run.LastRun)
	last := executor.LastRun{Run: executor.Run(r.Info), Took: r.Took, Err: r.Err, Skipped: r.Skipped}
	how := cancelled
	switch {
	case failure:
		how = failed
	case r.Skipped:
		how = skipped
	case r.Err == nil:
		how = succeeded
	}
	f.to.ended(last, how)
}

// following is the option of a job whose runs a feed is told of.
type following struct{ *feed }

// Resolve is that of an option.
func (f following) Resolve(o *series.Options) error {
	o.Follower = f.feed
	return nil
}
