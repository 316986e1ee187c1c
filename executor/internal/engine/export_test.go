package engine

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// Lock holds up all that needs the lock of the pool, until the function returned is called.
func (p *Pool) Lock() (unlock func()) {
	p.mu.Lock()
	return p.mu.Unlock
}

// Validate checks what must hold of a pool at rest, that is when nothing can go on before time
// passes or somebody calls: the accounts balance, workers are where the lot says, all parts of the
// queue are in order, and nothing waits that could run.
func (p *Pool) Validate() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, validate := range []func() error{
		p.validateAccounts, p.validateWorkers, p.validateAside, p.validateQueue, p.validateWaiting, p.validateBatches,
		p.validateWatch, p.validateBlockedSubmitters, p.validateStage,
	} {
		if err := validate(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pool) validateAccounts() error {
	var dealt int
	var ran uint64
	tally := p.waiting.tallyLocked(func() { dealt, ran = p.Views.playedLocked() })
	busy, both := 0, 0 // of the latter, what has been settled while its body runs on: it counts as ended, too
	for x := range p.Crew.executionsLocked() {
		if x.Task == nil {
			continue
		}
		busy++
		if planOf(x.Task).Counted() || !x.Over && x.Task.Phase().Settled() {
			both++
		}
	}
	if busy != p.counts.busy {
		return fmt.Errorf("%d tasks run, counted as %d", busy, p.counts.busy)
	}
	in := tally.accepted + uint64(both)
	out := p.counts.Completed + ran + tally.cancelled + p.counts.returned + uint64(tally.queued+dealt+busy)
	if in != out {
		return fmt.Errorf("%d tasks accepted, %d of them both ended and busy; %d completed, %d cancelled, %d returned, %d queued, %d busy",
			tally.accepted, both, p.counts.Completed+ran, tally.cancelled, p.counts.returned, tally.queued+dealt, busy)
	}
	if n := p.runs.SettlingLocked(); n != 0 {
		return fmt.Errorf("%d goroutines are settling tasks at rest", n)
	}
	return nil
}

// validateWorkers checks that each worker either runs a task or is parked, and that nobody else is.
func (p *Pool) validateWorkers() error {
	in, err := p.Crew.lot.Validate()
	if err != nil {
		return err
	}
	idle := 0
	for w := range p.Crew.workers {
		isParked := in.Places[w.place]
		if isParked == (w.Task != nil) || !w.arrived {
			return fmt.Errorf("a worker is parked: %v, and busy: %v; it has arrived: %v", isParked, w.Task != nil, w.arrived)
		}
		if isParked {
			idle++
		}
	}
	if idle != p.Crew.lot.Idle() || p.Crew.lot.Coming() != 0 {
		return fmt.Errorf("%d workers are idle of %d; the lot has %d, and %d coming", idle, len(p.Crew.workers), p.Crew.lot.Idle(), p.Crew.lot.Coming())
	}
	if len(p.Crew.workers) > p.counts.largest {
		return fmt.Errorf("%d workers, and the most there were is %d", len(p.Crew.workers), p.counts.largest)
	}
	return nil
}

// validateAside checks those who run tasks, and keep others, outside of workers and queue.
func (p *Pool) validateAside() error {
	aside, helpers, callers, nested := 0, 0, 0, 0
	for g := range p.loans.extraRuns {
		switch {
		case g.Task == nil:
			return fmt.Errorf("a guest has nothing to do")
		case g.helps:
			helpers++
		case g.outer != nil:
			nested++
		default:
			callers++
		}
	}
	ws := &p.loans.waits
	if helpers != ws.helping || callers != ws.callers || nested != ws.nested || p.loans.activeLocked() < 0 {
		return fmt.Errorf("%d helpers, %d callers, %d nested, counted as %+v", helpers, callers, nested, ws)
	}
	for place := ws.lent.Front(); place != nil; place = place.Next() {
		if a := place.Value.(*await); a.lent != place || a.by == nil || a.by.waits != a {
			return fmt.Errorf("a place is lent for no wait in progress")
		}
	}
	for place := ws.denied.Front(); place != nil; place = place.Next() {
		if a := place.Value.(*await); a.over || a.denied != place {
			return fmt.Errorf("help is kept in mind for a wait that is over")
		}
	}
	for s := range p.waiting.strands.entries {
		if err := s.waiting.Validate(); err != nil {
			return err
		}
		aside += s.waiting.Len()
	}
	if aside != p.waiting.heldBack {
		return fmt.Errorf("%d tasks wait aside, counted as %d", aside, p.waiting.heldBack)
	}
	return nil
}

func (p *Pool) validateQueue() error {
	switch q := p.waiting.queue.(type) {
	case *runqueue.Inbox:
		return q.Validate()
	case *runqueue.Delayed:
		return p.validateDelayed(q)
	case interface{ Validate() error }: // one of package executor
		return q.Validate()
	}
	return nil
}

func (p *Pool) validateDelayed(q *runqueue.Delayed) error {
	if q.Beside() > 0 && !p.Door.timed.Load() {
		return fmt.Errorf("%d tasks go by their times, and nobody knows", q.Beside())
	}
	for x := range p.Crew.executionsLocked() {
		if x.Task != nil && !x.bare && planOf(x.Task).Periodic() && !p.Door.timed.Load() {
			return fmt.Errorf("a series is in a run, and nobody knows that there are times")
		}
	}
	return q.Validate(p.clock.Now())
}

// tasksOf returns what is in a queue, in order.
func tasksOf(q runqueue.Queue) []*cell.Cell {
	return q.(interface{ Cells() []*cell.Cell }).Cells()
}

// validateWaiting checks that what waits has not ended, and can run.
func (p *Pool) validateWaiting() error {
	cells := merge(tasksOf(p.waiting.queue), p.waiting.allHeldBackLocked())
	if len(cells) != p.waiting.queue.Len()+p.waiting.heldBack {
		return fmt.Errorf("%d tasks wait, counted as %d", len(cells), p.waiting.queue.Len()+p.waiting.heldBack)
	}
	for _, c := range cells {
		if phase := c.Phase(); phase != cell.Pending || c.Body == nil {
			return fmt.Errorf("a task waits that is in phase %d; it has a body: %v", phase, c.Body != nil)
		}
	}
	return nil
}

// validateBatches checks the batch that is dealt, those that workers still use, and the spare one.
func (p *Pool) validateBatches() error {
	users := map[*runqueue.Batch]int{p.waiting.batch: 0}
	for w := range p.Crew.workers {
		if w.batch != nil {
			users[w.batch]++
			if w.Task == nil || !w.bare {
				return fmt.Errorf("an idle worker uses a batch")
			}
		}
	}
	delete(users, nil)
	for b, n := range users {
		if err := b.Validate(n); err != nil {
			return err
		}
		if b != p.waiting.batch && b.Left() > 0 {
			return fmt.Errorf("two batches are dealt")
		}
	}
	if p.waiting.spare == nil || p.waiting.spare == p.waiting.batch {
		return nil
	}
	if users[p.waiting.spare] > 0 || p.waiting.spare.Left() > 0 {
		return fmt.Errorf("the spare batch is in use")
	}
	return p.waiting.spare.Validate(0)
}

// validateWatching checks that the lot expects those back who have said so.
func (p *Pool) validateWatching(in parking.Census) error {
	out := in.Out
	for w := range p.Crew.workers {
		if w.watching && w.watch.In(in.Round) {
			out--
		}
	}
	if out != 0 {
		return fmt.Errorf("%d more workers are expected back than are out", out)
	}
	return nil
}

// validateWatch checks that nothing waits beside somebody who could run it, and that somebody will
// look at what is due later.
func (p *Pool) validateWatch() error {
	head, due, _ := p.peekLocked()
	if p.Life.stage >= stopping || head == parking.Nothing {
		return nil
	}
	now := p.now()
	in, err := p.Crew.lot.Validate()
	if err != nil {
		return err
	}
	if err := p.validateWatching(in); err != nil {
		return err
	}
	mayGrow := len(p.Crew.workers) < p.Crew.limitLocked()
	if d := p.waiting.delayed; d != nil && !p.Crew.pause.on && (mayGrow || p.Crew.lot.Idle() > 0) {
		if err := d.ValidateAwaited(); err != nil {
			return err
		}
	}
	switch due = due || head <= now; {
	case due && p.loans.overdrawnLocked():
	case due && p.Crew.lot.Idle() > 0:
		return fmt.Errorf("a task for %d is due, at %d, and %d workers are idle", head, now, p.Crew.lot.Idle())
	case due && mayGrow:
		return fmt.Errorf("a task for %d is due, at %d, and there are %d workers of %d", head, now, len(p.Crew.workers), p.Crew.limitLocked())
	case due:
	case in.Leader == nil && in.Out > 0 && in.Guard != parking.Nothing && in.Guard <= head:
	case in.Leader == nil && (p.Crew.lot.Idle() > 0 || mayGrow):
		return fmt.Errorf("nobody waits for the task at %d; %d workers are idle, of %d", head, p.Crew.lot.Idle(), len(p.Crew.workers))
	case in.Leader != nil && (in.Rung || in.Armed > head || in.Armed <= now):
		return fmt.Errorf("the leader waits until %d, it is %d, and the head is for %d; it is called: %v", in.Armed, now, head, in.Rung)
	}
	return nil
}

func (p *Pool) validateBlockedSubmitters() error {
	if p.Door.blockedSubmitters.list.Len() == 0 {
		return nil
	}
	if p.Life.stage != running {
		return fmt.Errorf("%d submitters wait in a pool that is %v", p.Door.blockedSubmitters.list.Len(), p.Life.stage)
	}
	for place := p.Door.blockedSubmitters.list.Front(); place != nil; place = place.Next() {
		if p.Door.roomLocked(place.Value.(*blockedSubmitter).cell, 0) {
			return fmt.Errorf("%d submitters wait, and there is room for one", p.Door.blockedSubmitters.list.Len())
		}
		if planOf(place.Value.(*blockedSubmitter).cell).strand == nil {
			break // those behind wait for their turn
		}
	}
	return nil
}

// validateStage checks that a pool does not stay in a stage that is over.
func (p *Pool) validateStage() error {
	ended := false
	select {
	case <-p.Life.done:
		ended = true
	default:
	}
	left := len(p.Crew.workers) + len(p.loans.extraRuns)
	switch {
	case p.Life.stage == running:
		return nil
	case p.Life.stage == tidying, ended != (p.Life.stage == terminated):
		return fmt.Errorf("a pool rests that is %v", p.Life.stage)
	case p.Life.stage >= stopping && p.waiting.waitingLocked()+p.waiting.heldBack > 0:
		return fmt.Errorf("%d tasks wait in a pool that is %v", p.waiting.waitingLocked()+p.waiting.heldBack, p.Life.stage)
	case p.Life.stage == terminated && left > 0:
		return fmt.Errorf("%d workers and guests in a pool that is over", left)
	case p.Life.stage < terminated && p.Life.overLocked() && p.counts.busy == 0: // idle workers stay as long as others are busy
		return fmt.Errorf("there is nothing to do for %d workers and guests, and the pool is %v", left, p.Life.stage)
	}
	return nil
}

// Denied returns how many waits could not be helped so far.
func (p *Pool) Denied() int {
	defer p.Lock()()
	return p.loans.waits.denied.Len()
}

// Dealt returns how many tasks of a batch nobody has claimed.
func (p *Pool) Dealt() int {
	defer p.Lock()()
	return p.waiting.batch.Left()
}

// Blocks returns how many blocks the inbox holds.
func (p *Pool) Blocks() int {
	defer p.Lock()()
	return p.waiting.inbox.Blocks()
}

// Watched has the pool be watched anew, before its first task.
func (p *Pool) Watched(watch func(*run.Owner)) {
	watch(&p.runs)
	p.watched.Store(true)
}
