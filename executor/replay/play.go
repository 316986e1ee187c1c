package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/tape"
)

// ErrRecorded is the error of runs that have failed in the recording.
var ErrRecorded = errors.New("replay: the run has failed in the recording")

// Play has a pool do what the recording says, and returns what the pool has made of that, task by
// task. Make makes the pool, and must give it the option; nil stands for a pool of as many workers
// as the recorded one had. Play takes as long as the recording, so call it in a testing/synctest
// bubble. It waits for what has been submitted, as far as that ended in the recording, and then
// closes the pool. It returns an error if the pool refuses a task that was accepted.
func (r *Recording) Play(
	make func(record executor.Option) *executor.ScheduledPool,
) (*Recording, error) {
	if make == nil {
		make = func(record executor.Option) *executor.ScheduledPool {
			return executor.NewScheduledPool(max(r.Workers, 1), record)
		}
	}
	var out bytes.Buffer
	begun := time.Now()
	p := &player{recording: r, pool: make(executor.Watch(insight.Config{Record: &out})),
		begun: begun, over: begun.Add(r.Length)}
	p.plan()
	err := p.perform()
	time.Sleep(time.Until(p.over))
	p.wait()
	if err = errors.Join(err, p.pool.Close()); err != nil {
		return nil, err
	}
	again, err := Read(&out)
	if err != nil {
		return nil, err
	}
	if len(again.Tasks) != len(p.played) {
		return nil, errors.New("replay: the pool has been given other tasks as well")
	}
	return p.assemble(again), nil
}

// player plays one recording.
type player struct {
	recording *Recording
	pool      *executor.ScheduledPool
	begun     time.Time
	over      time.Time // when the recording ends
	steps     []step
	played    []*Task // what the pool's tasks are in the recording, in order of submission

	futures map[*Task]*executor.ScheduledFuture[struct{}]
}

// step is something to do at a time.
type step struct {
	at   int64
	what string
	task *Task
	runs []Run // of a submission
}

// plan makes a list of what is to be done, in order.
func (p *player) plan() {
	p.futures = map[*Task]*executor.ScheduledFuture[struct{}]{}
	for _, t := range p.recording.Tasks {
		if t.Rejected {
			continue
		}
		first, attempts := t.split()
		p.steps = append(p.steps, step{t.spec.At, tape.Submitted, t, first})
		for _, a := range attempts {
			p.steps = append(p.steps, step{int64(a.Began), tape.Submitted, t, []Run{a}})
		}
		for _, e := range t.steer {
			p.steps = append(p.steps, step{e.At, e.What, t, nil})
		}
	}
	slices.SortStableFunc(p.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
}

// split returns the runs of a task, and the attempts that come as tasks of their own.
func (t *Task) split() (runs, attempts []Run) {
	for i, r := range t.Runs {
		next := i + 1
		if t.repeats() && next < len(t.Runs) && t.Runs[next].Attempt > r.Attempt && r.Attempt > 0 {
			r.Outcome = tape.OK // as another attempt follows, it does not end the series
		}
		if r.Attempt > 1 {
			attempts = append(attempts, r)
		} else {
			runs = append(runs, r)
		}
	}
	return runs, attempts
}

// repeats reports whether the task is periodic.
func (t *Task) repeats() bool { return t.spec.Rate > 0 || t.spec.Delay > 0 || t.spec.Calendar }

// perform does the steps at their times.
func (p *player) perform() error {
	for _, s := range p.steps {
		time.Sleep(time.Until(p.begun.Add(time.Duration(s.at))))
		switch s.what {
		case tape.Submitted:
			if err := p.submit(s); err != nil {
				return fmt.Errorf("replay: task %q: %w", s.task.Name, err)
			}
		case tape.Cancelled, tape.Dropped:
			p.futures[s.task].Cancel()
		case tape.Paused:
			p.futures[s.task].Pause()
		case tape.Resumed:
			p.futures[s.task].Resume()
		}
	}
	return nil
}

// wait waits for the tasks that had ended by the end of the recording. The pool may be slower.
func (p *player) wait() {
	for _, t := range p.recording.Tasks {
		if f := p.futures[t]; f != nil && t.ended {
			<-f.Stopped()
		}
	}
}

func (p *player) submit(s step) error {
	t, b := s.task, &body{runs: s.runs, over: p.over}
	spec, initial := t.spec, time.Duration(t.spec.In)
	opts := []executor.TaskOption{executor.Name(t.Name)}
	if spec.Timeout > 0 {
		opts = append(opts, executor.Timeout(time.Duration(spec.Timeout)))
	}
	if spec.BeginWithin > 0 {
		opts = append(opts, executor.BeginWithin(time.Duration(spec.BeginWithin)))
	}
	series := append(slices.Clip(opts), executor.FailurePolicy(executor.ErrorPolicy(spec.OnError)))
	limited := slices.Clip(series)
	switch {
	case spec.MaxRuns > 0:
		limited = append(limited, executor.MaxRuns(int(spec.MaxRuns)))
	case t.ended:
		limited = append(limited, executor.MaxRuns(max(len(s.runs), 1)))
	}
	var f *executor.ScheduledFuture[struct{}]
	var err error
	switch {
	case len(s.runs) > 0 && s.runs[0].Attempt > 1:
		f, err = p.pool.Schedule(0, b.run, opts...)
	case !t.repeats():
		f, err = p.pool.Schedule(initial, b.run, opts...)
	case spec.Rate > 0 && !spec.Planned && t.onGrid():
		f, err = p.pool.AtFixedRate(initial, time.Duration(spec.Rate), b.run,
			append(limited, executor.CatchUp(executor.CatchUpPolicy(spec.CatchUp)))...)
	case spec.Delay > 0 && !spec.Planned && t.afterDelay():
		f, err = p.pool.WithFixedDelay(initial, time.Duration(spec.Delay), b.run, limited...)
	case len(s.runs) == 0: // it never ran
		f, err = p.pool.Schedule(time.Duration(max(spec.In, int64(p.recording.Length))), b.run, opts...)
	default:
		f, err = p.pool.WithFixedDelay(time.Until(p.begun.Add(s.runs[0].Due)), time.Hour, b.run,
			append(series, executor.DelayBy(p.recorded(s.runs)))...)
	}
	if err == nil {
		p.played = append(p.played, t)
		if p.futures[t] == nil {
			p.futures[t] = f
		}
	}
	return err
}

// recorded returns a function that plans the runs of a series for the recorded times.
func (p *player) recorded(runs []Run) func(executor.LastRun) (time.Duration, bool) {
	return func(last executor.LastRun) (time.Duration, bool) {
		next := int(last.Run.Number)
		if next >= len(runs) {
			return 0, false
		}
		return max(time.Until(p.begun.Add(runs[next].Due)), 0), true
	}
}

// slop is how far the times of a recording may be from what they say: it reads the clock somewhat
// after the pool.
const slop = int64(time.Millisecond)

// onGrid reports whether the runs were planned for times on a grid, as those of a fixed rate are.
// Under [executor.Shift] late runs move the grid, and do so in the replay.
func (t *Task) onGrid() bool {
	shifts := executor.CatchUpPolicy(t.spec.CatchUp) == executor.Shift
	return !slices.ContainsFunc(t.Runs, func(r Run) bool {
		off := int64((r.Due - t.Due).Abs()) % t.spec.Rate
		return r.extra || !shifts && min(off, t.spec.Rate-off) > slop
	})
}

// afterDelay reports whether each run was planned for the fixed delay after the end of the last.
func (t *Task) afterDelay() bool {
	for i, r := range t.Runs {
		planned := int64(t.Due)
		if i > 0 {
			planned = int64(t.Runs[i-1].Ended) + t.spec.Delay
		}
		if off := int64(r.Due) - planned; r.extra || max(off, -off) > slop {
			return false
		}
	}
	return true
}

// body is the body of a task: the runs of the recording, one after another.
type body struct {
	mu   sync.Mutex
	runs []Run
	next int
	last time.Duration // how long the last run took
	over time.Time     // until then runs go on of which the end is not known
}

func (b *body) run(context.Context) error {
	r := b.take()
	if r.Outcome == "" && r.Number > 0 {
		time.Sleep(time.Until(b.over))
		return nil
	}
	time.Sleep(r.Took())
	switch r.Outcome {
	case tape.Failed:
		return ErrRecorded
	case tape.Skipped:
		return executor.ErrSkipped
	case tape.Panic:
		panic(ErrRecorded)
	case tape.Goexit:
		runtime.Goexit()
	}
	return nil
}

// take returns the next run. One that the recording does not know is as long as the last.
func (b *body) take() Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next >= len(b.runs) {
		return Run{Ended: b.last}
	}
	r := b.runs[b.next]
	b.next++
	b.last = r.Took()
	return r
}

// assemble puts what has been played into the places of the recording.
func (p *player) assemble(again *Recording) *Recording {
	places := map[*Task]*Task{}
	var tasks []*Task
	for _, t := range p.recording.Tasks {
		place := &Task{Name: t.Name, Submitted: t.Submitted, Due: t.Due, Rejected: t.Rejected,
			spec: t.spec}
		places[t], tasks = place, append(tasks, place)
	}
	for i, t := range again.Tasks {
		place := places[p.played[i]]
		for _, r := range t.Runs {
			if n := len(place.Runs); n > 0 && i > 0 && r.Number == 1 && !place.repeats() {
				r.Attempt = uint64(n) + 1
			}
			place.Runs = append(place.Runs, r)
		}
	}
	for _, t := range tasks {
		slices.SortStableFunc(t.Runs, func(a, b Run) int { return cmp.Compare(a.Began, b.Began) })
	}
	again.Tasks = tasks
	return again
}
