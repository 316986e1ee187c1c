package plan

import (
	"cmp"
	"slices"
	"time"
)

// Step says how many workers are busy from an instant on, until the next step, and how many runs
// wait for one.
type Step struct {
	At      time.Duration
	Busy    int
	Waiting int
}

// Span is a time in the window.
type Span struct{ From, To time.Duration }

// Length returns how long the span is.
func (s Span) Length() time.Duration { return s.To - s.From }

// Collision is a time during which runs were due, and no worker was free.
type Collision struct {
	Span
	Runs  int           // that waited
	Worst int           // the run that waited longest, as an index of Plan.Runs
	Wait  time.Duration // how long that was
}

// Behind is a job that loses slots: some of them got no run of their own.
type Behind struct {
	Job    int
	Runs   int
	Missed int // slots
	Own    int // of those, how many passed because the run before took too long
}

// CannotKeepUp reports whether that is up to the job: it would lose most of them with any number of
// workers.
func (b Behind) CannotKeepUp() bool { return 2*b.Own > b.Missed }

// Share returns which part of its slots the job missed.
func (b Behind) Share() float64 { return float64(b.Missed) / float64(b.Runs+b.Missed) }

// Sums say what a plan comes to.
type Sums struct {
	Steps      []Step // the first is at 0, or there is none
	Peak       int    // workers busy at once, at most
	Demand     int    // workers that would have been of use at once, at most
	Full       time.Duration
	Work       time.Duration // of all workers together, in the window
	Collisions []Collision   // in order of time
	Behind     []Behind      // the worst first
	Quiet      []Span        // with no worker busy, the longest first
	Late       int           // runs that waited for a worker
	Own        int           // runs that waited for the run before
	Unknown    int           // jobs without an estimate
}

// Worst returns the collision with the longest wait. There must be one.
func (s *Sums) Worst() Collision {
	return slices.MaxFunc(s.Collisions, func(a, b Collision) int { return cmp.Compare(a.Wait, b.Wait) })
}

// Sum adds up a plan.
func Sum(p *Plan) *Sums {
	s := &Sums{Steps: steps(p)}
	length := p.Window.Length()
	for i, at := range s.Steps {
		to := length
		if i+1 < len(s.Steps) {
			to = s.Steps[i+1].At
		}
		s.addStep(at, Span{at.At, min(to, length)}, p.Workers)
	}
	slices.SortStableFunc(s.Quiet, func(a, b Span) int { return cmp.Compare(b.Length(), a.Length()) })
	s.Collisions = collisions(p)
	s.addRuns(p)
	for _, j := range p.Jobs {
		if j.Estimate == 0 {
			s.Unknown++
		}
	}
	return s
}

func (s *Sums) addStep(at Step, span Span, workers int) {
	if span.Length() <= 0 {
		return
	}
	s.Peak = max(s.Peak, at.Busy)
	s.Demand = max(s.Demand, at.Busy+at.Waiting)
	s.Work += time.Duration(at.Busy) * span.Length()
	switch {
	case at.Busy == workers:
		s.Full += span.Length()
	case at.Busy > 0:
	case len(s.Quiet) > 0 && s.Quiet[len(s.Quiet)-1].To == span.From:
		s.Quiet[len(s.Quiet)-1].To = span.To
	default:
		s.Quiet = append(s.Quiet, span)
	}
}

func (s *Sums) addRuns(p *Plan) {
	behind := make([]Behind, len(p.Jobs))
	for i := range behind {
		behind[i].Job = i
	}
	for _, r := range p.Runs {
		behind[r.Job].Runs++
		behind[r.Job].Missed += r.Missed
		if r.WaitsForItself() > r.WaitsForWorker() {
			behind[r.Job].Own += r.Missed
		}
		if r.WaitsForWorker() > 0 {
			s.Late++
		}
		if r.WaitsForItself() > 0 {
			s.Own++
		}
	}
	s.Behind = slices.DeleteFunc(behind, func(b Behind) bool { return b.Missed == 0 })
	slices.SortStableFunc(s.Behind, func(a, b Behind) int { return cmp.Compare(b.Share(), a.Share()) })
}

// steps returns how many workers are busy, and how many runs wait for one, over the time of the
// plan and beyond.
func steps(p *Plan) []Step {
	changes := []Step{{}}
	for _, r := range p.Runs {
		if r.Start > r.Ready {
			changes = append(changes, Step{r.Ready, 0, 1}, Step{r.Start, 0, -1})
		}
		if r.End > r.Start {
			changes = append(changes, Step{r.Start, 1, 0}, Step{r.End, -1, 0})
		}
	}
	slices.SortFunc(changes, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	sum := changes[:1]
	for _, c := range changes[1:] {
		last := &sum[len(sum)-1]
		if c.At > last.At {
			sum = append(sum, Step{c.At, last.Busy + c.Busy, last.Waiting + c.Waiting})
			continue
		}
		last.Busy += c.Busy
		last.Waiting += c.Waiting
	}
	return sum
}

// collisions joins the waits for a worker that touch each other.
func collisions(p *Plan) (all []Collision) {
	var waits []int
	for i, r := range p.Runs {
		if r.WaitsForWorker() > 0 {
			waits = append(waits, i)
		}
	}
	slices.SortStableFunc(waits, func(a, b int) int { return cmp.Compare(p.Runs[a].Ready, p.Runs[b].Ready) })
	for _, i := range waits {
		r := p.Runs[i]
		if len(all) == 0 || all[len(all)-1].To < r.Ready {
			all = append(all, Collision{Span: Span{r.Ready, r.Start}})
		}
		last := &all[len(all)-1]
		last.To = max(last.To, r.Start)
		last.Runs++
		if r.WaitsForWorker() > last.Wait {
			last.Wait, last.Worst = r.WaitsForWorker(), i
		}
	}
	return all
}
