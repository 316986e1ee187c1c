package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// hands is how many processes work.
const hands = 4

func crew(size sizes) workload {
	even, mixed := size.even(), size.mixed()
	w := workload{
		name:  "crew",
		title: "Tasks with a duration, four worker processes",
		note: fmt.Sprintf("Four processes of %d workers each; another one submits all at once, from "+
			"%d goroutines. Even: %d tasks of %v. Mixed: %d tasks of %v and among them %d of %v. "+
			"From the first call until the last task has ended, as a multiple of the ideal, which "+
			"is %s and %s s; taken one after the other, the mixed ones need %s times as much, as "+
			"long ones are among the last. Evenness is the time that the least busy process spent "+
			"in tasks, as a part of that of the busiest. Processor time is that of both.",
			size.hands, size.few, len(even), even[0], count(mixed, size.nap/5), size.nap/5,
			count(mixed, 10*size.nap), 10*size.nap, figure(size.ideal(even).Seconds()),
			figure(size.ideal(mixed).Seconds()),
			figure(float64(size.inOrder(mixed))/float64(size.ideal(mixed)))),
		columns: []column{
			{title: "even, × ideal", ratio: true}, {title: "evenness"},
			{title: "mixed, × ideal", ratio: true}, {title: "evenness"},
		},
		fits:    func(s system) bool { return s.join != nil },
		measure: measureCrew,
	}
	w.columns = append(w.columns, processorColumns()...)
	return w
}

// even and mixed are the durations of all tasks.
func (s sizes) even() []time.Duration { return slices.Repeat([]time.Duration{s.nap}, s.naps) }

func (s sizes) mixed() []time.Duration {
	list := slices.Repeat([]time.Duration{s.nap / 5}, s.naps)
	for i := range s.naps / 10 {
		list[i] = 10 * s.nap
	}
	r := rand.New(rand.NewPCG(1, 2)) // the same for all
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func count(list []time.Duration, d time.Duration) (n int) {
	for _, v := range list {
		if v == d {
			n++
		}
	}
	return n
}

// ideal is when the last would have ended if no worker ever waited.
func (s sizes) ideal(tasks []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range tasks {
		sum += d
	}
	return max(sum/time.Duration(hands*s.hands), slices.Max(tasks))
}

// inOrder is when the last would have ended if each worker took the next as soon as it is free.
func (s sizes) inOrder(tasks []time.Duration) time.Duration {
	free := make([]time.Duration, hands*s.hands)
	for _, d := range tasks {
		slices.Sort(free)
		free[0] += d
	}
	return slices.Max(free)
}

// party is a session that only submits, and processes that work.
type party struct {
	session host
	workers []*process
	stints  chan stint
}

func measureCrew(ctx context.Context, t *trial) (figures []float64, err error) {
	t.site.workers = 0
	s, err := t.system.start(ctx, t.site)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	p := &party{session: s.(host), stints: make(chan stint, 1024)}
	defer p.end()
	if err := p.gather(ctx, t); err != nil {
		return nil, err
	}
	tasks := 0
	before := measureUsage(s.Servers(), p.workers)
	for _, durations := range [][]time.Duration{t.sizes.even(), t.sizes.mixed()} {
		took, evenness, err := p.work(ctx, t, durations)
		if err != nil {
			return nil, err
		}
		tasks += len(durations)
		figures = append(figures, float64(took)/float64(t.sizes.ideal(durations)), evenness)
	}
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	all, servers := measureUsage(s.Servers(), p.workers).since(before, tasks)
	return append(figures, all, servers), nil
}

// gather starts the workers, and lets them run some tasks of no duration.
func (p *party) gather(ctx context.Context, t *trial) error {
	for i := range hands {
		h := hand{
			Number: i, System: t.system.name, Where: p.session.Where(), Workers: t.sizes.hands,
		}
		w, err := h.start(p.stints)
		if err != nil {
			return err
		}
		p.workers = append(p.workers, w)
	}
	for range p.workers {
		s, err := nextStint(ctx, p.stints, p.workers)
		if err != nil {
			return err
		}
		if s.N != 0 {
			return fmt.Errorf("task %d has run before it was stored", s.N)
		}
	}
	_, _, err := p.work(ctx, t, make([]time.Duration, 2*hands*t.sizes.hands))
	return err
}

// work submits tasks, and waits until all have ended.
func (p *party) work(
	ctx context.Context, t *trial, durations []time.Duration,
) (took time.Duration, evenness float64, err error) {
	left := map[int]bool{}
	jobs := make([]job, len(durations))
	for i, d := range durations {
		jobs[i] = job{N: t.next(), Takes: d}
		left[jobs[i].N] = true
	}
	begun := time.Now()
	submitted := make(chan error, 1)
	go func() {
		submitted <- shared(ctx, t.sizes.few, len(jobs), func(ctx context.Context, i int) error {
			return p.session.Store(ctx, jobs[i])
		})
	}()
	var last time.Time
	busy := make([]time.Duration, hands)
	for len(left) > 0 {
		s, err := nextStint(ctx, p.stints, p.workers)
		if err != nil {
			return 0, 0, fmt.Errorf("%d of %d tasks have not run: %w", len(left), len(jobs), err)
		}
		delete(left, s.N)
		busy[s.Hand] += s.Took
		last = s.Ended
	}
	evenness = float64(slices.Min(busy)) / float64(slices.Max(busy))
	return last.Sub(begun), evenness, <-submitted
}

func (p *party) end() {
	for _, w := range p.workers {
		w.end(syscall.SIGTERM)
	}
}
