package executor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// Lock holds up all that needs the lock of the pool, until the function returned is called.
func (p *Pool) Lock() (unlock func()) {
	p.mu.Lock()
	return p.mu.Unlock
}

// Validate checks what must hold of a pool at rest, that is when nothing can go on before time passes or
// somebody calls: the accounts balance, workers are where the lot says, all parts of the queue are in order,
// and nothing waits that could run.
func (p *Pool) Validate() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, validate := range []func() error{
		p.validateAccounts, p.validateWorkers, p.validateAside, p.validateQueue, p.validateWaiting, p.validateHands,
		p.validateWatch, p.validateEntrants, p.validateStage,
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
	accepted, _, queued := p.tally(func() { dealt, ran = p.played() })
	busy, both := 0, 0 // of the latter, what has been settled while its body runs on: it counts as ended, too
	for x := range p.executions() {
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
	in := accepted + uint64(both)
	out := p.counts.Completed + ran + p.counts.cancelled + p.counts.returned + uint64(queued+dealt+busy)
	if in != out {
		return fmt.Errorf("%d tasks accepted, %d of them both ended and busy; %d completed, %d cancelled, %d returned, %d queued, %d busy",
			accepted, both, p.counts.Completed+ran, p.counts.cancelled, p.counts.returned, queued+dealt, busy)
	}
	if p.runs.Settling != 0 || p.runs.TellersLocked() != 0 {
		return fmt.Errorf("%d parties are settling, and %d telling, at rest", p.runs.Settling, p.runs.TellersLocked())
	}
	return nil
}

// validateWorkers checks that each worker either runs a task or is parked, and that nobody else is.
func (p *Pool) validateWorkers() error {
	in, err := p.lot.Validate()
	if err != nil {
		return err
	}
	idle := 0
	for w := range p.workers {
		isParked := in.Places[w.place]
		if isParked == (w.Task != nil) || !w.arrived {
			return fmt.Errorf("a worker is parked: %v, and busy: %v; it has arrived: %v", isParked, w.Task != nil, w.arrived)
		}
		if isParked {
			idle++
		}
	}
	if idle != p.lot.Idle() || p.lot.Coming() != 0 {
		return fmt.Errorf("%d workers are idle of %d; the lot has %d, and %d coming", idle, len(p.workers), p.lot.Idle(), p.lot.Coming())
	}
	if len(p.workers) > p.counts.largest {
		return fmt.Errorf("%d workers, and the most there were is %d", len(p.workers), p.counts.largest)
	}
	return nil
}

// validateAside checks those who run tasks, and keep others, outside of workers and queue.
func (p *Pool) validateAside() error {
	aside, helpers, callers, nested := 0, 0, 0, 0
	for g := range p.guests {
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
	ws := &p.waits
	if helpers != ws.helping || callers != ws.callers || nested != ws.nested || ws.blocked < 0 || p.activeLocked() < 0 {
		return fmt.Errorf("%d helpers, %d callers, %d nested, counted as %+v", helpers, callers, nested, ws)
	}
	for place := ws.denied.Front(); place != nil; place = place.Next() {
		if a := place.Value.(*await); a.over || a.denied != place {
			return fmt.Errorf("help is kept in mind for a wait that is over")
		}
	}
	for s := range p.strands.entries {
		if err := s.waiting.validate(); err != nil {
			return err
		}
		aside += s.waiting.len()
	}
	if aside != p.aside {
		return fmt.Errorf("%d tasks wait aside, counted as %d", aside, p.aside)
	}
	return nil
}

func (p *Pool) validateQueue() error {
	switch q := p.queue.(type) {
	case *inbox:
		return q.validate()
	case *ordered:
		return q.validate()
	default:
		return p.validateDelayed(q.(*delayedWorkQueue))
	}
}

func (p *Pool) validateDelayed(q *delayedWorkQueue) error {
	if err := q.heap.Validate(placeInHeap); err != nil {
		return err
	}
	if err := q.cut.Validate(placeInHeap); err != nil {
		return err
	}
	if err := q.ripe.validate(); err != nil {
		return err
	}
	ripe, now := q.ripe.all(), p.clock.Now()
	if q.cut.Len() > 0 && len(ripe) == 0 {
		return fmt.Errorf("%d tasks have been cut out, and none is ripe", q.cut.Len())
	}
	for _, c := range q.cut.All() {
		if compare(c, ripe[len(ripe)-1]) < 0 {
			return fmt.Errorf("a ripe task comes after one that has been cut out")
		}
	}
	if !slices.IsSortedFunc(ripe, compare) {
		return fmt.Errorf("the ripe tasks are out of order")
	}
	if n := len(ripe); n > 0 && ripe[n-1].When > now {
		return fmt.Errorf("a task for %d is ripe at %d", ripe[n-1].When, now)
	}
	if q.beside() > 0 && !p.timed.Load() {
		return fmt.Errorf("%d tasks go by their times, and nobody knows", q.beside())
	}
	for x := range p.executions() {
		if x.Task != nil && !x.bare && planOf(x.Task).Periodic() && !p.timed.Load() {
			return fmt.Errorf("a series is in a run, and nobody knows that there are times")
		}
	}
	return q.line.validate()
}

// validate checks both sides of an inbox, in which the stamps ascend.
func (q *inbox) validate() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := stamp{}
	for _, side := range []*segment{&q.out, &q.in} {
		if err := validateSegment(side); err != nil {
			return err
		}
		for _, e := range side.entries() {
			if e.when == unread {
				continue
			}
			if q.order == nil {
				return fmt.Errorf("a stamp in an inbox without stamps")
			}
			if cmp.Or(cmp.Compare(last.when, e.when), cmp.Compare(last.after, e.after)) > 0 {
				return fmt.Errorf("stamp %v comes after %v", e.stamp, last)
			}
			last = e.stamp
		}
	}
	if q.in.len() > 0 && q.out.len() == 0 && q.word.Load() {
		return fmt.Errorf("there are tasks of which nobody has been told")
	}
	return nil
}

// validate checks the ring of a fifo, and that its tasks know their places.
func (q *fifo) validate() error {
	span := int(q.tail - q.head)
	if span > len(q.ring) || len(q.ring)&(len(q.ring)-1) != 0 {
		return fmt.Errorf("fifo: %d places in a ring of %d", span, len(q.ring))
	}
	live, inRing := 0, 0
	for at := q.head; at != q.tail; at++ {
		c := q.ring[q.slot(at)]
		if c == nil && at == q.head {
			return fmt.Errorf("fifo: the first is gone")
		}
		if c == nil {
			continue
		}
		live++
		if c.Place != -1-int32(at&positionMask) {
			return fmt.Errorf("fifo: a task at %d has place %d", at, c.Place)
		}
	}
	for _, c := range q.ring {
		if c != nil {
			inRing++
		}
	}
	if live != q.live || inRing != live {
		return fmt.Errorf("fifo: %d tasks, %d in the ring, counted as %d", live, inRing, q.live)
	}
	return nil
}

func (q *ordered) validate() error {
	cells := q.tasks()
	if len(cells) != q.queue.Len() {
		return fmt.Errorf("queue: %d tasks, counted as %d", len(cells), q.queue.Len())
	}
	if q.held != nil && len(q.held) != len(cells) {
		return fmt.Errorf("queue: %d tasks, %d are known to be held", len(cells), len(q.held))
	}
	for _, c := range cells {
		if q.held != nil && !q.holds(c) {
			return fmt.Errorf("queue: a task is not known to be held")
		}
	}
	switch own := q.queue.(type) {
	case *fifoQueue:
		return own.line.validate()
	case *priorityQueue:
		return own.heap.Validate(placeInHeap)
	}
	return nil
}

// tasksOf returns what is in a queue, in order.
func tasksOf(q workQueue) (cells []*cell.Cell) {
	switch q := q.(type) {
	case *ordered:
		return q.tasks()
	case *inbox:
		for _, e := range append(q.out.entries(), q.in.entries()...) {
			cells = append(cells, q.cellOf(e))
		}
		return cells
	}
	timed := q.(*delayedWorkQueue)
	cells = timed.ripe.all()
	for _, c := range timed.heap.All() {
		cells = append(cells, c)
	}
	for _, c := range timed.cut.All() {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, compare)
	return weave(tasksOf(timed.line), cells)
}

func placeInHeap(c *cell.Cell) int { return int(c.Place) - 1 }

// validateWaiting checks that what waits has not ended, and can run.
func (p *Pool) validateWaiting() error {
	cells := merge(tasksOf(p.queue), p.allAside())
	if len(cells) != p.queue.len()+p.aside {
		return fmt.Errorf("%d tasks wait, counted as %d", len(cells), p.queue.len()+p.aside)
	}
	for _, c := range cells {
		if phase := c.Phase(); phase != cell.Pending || c.Body == nil {
			return fmt.Errorf("a task waits that is in phase %d; it has a body: %v", phase, c.Body != nil)
		}
	}
	return nil
}

// validateHands checks the hand that is dealt, those that workers still hold, and the spare one.
func (p *Pool) validateHands() error {
	users := map[*hand]int{p.hand: 0}
	for w := range p.workers {
		if w.hand != nil {
			users[w.hand]++
			if w.Task == nil || !w.bare {
				return fmt.Errorf("an idle worker holds a hand")
			}
		}
	}
	delete(users, nil)
	for h, n := range users {
		if err := h.validate(n); err != nil {
			return err
		}
		if h != p.hand && h.left() > 0 {
			return fmt.Errorf("two hands are dealt")
		}
	}
	if p.spare == nil || p.spare == p.hand {
		return nil
	}
	if users[p.spare] > 0 || p.spare.left() > 0 {
		return fmt.Errorf("the spare hand is in use")
	}
	return p.spare.validate(0)
}

func (h *hand) validate(users int) error {
	claimed := min(h.next.Load(), h.size)
	switch {
	case h.size < 0 || h.size > handSize || claimed < 0:
		return fmt.Errorf("hand: %d of %d are claimed", claimed, h.size)
	case h.users != users:
		return fmt.Errorf("hand: %d workers hold it, counted as %d", users, h.users)
	case uint64(claimed) < h.over+uint64(users):
		return fmt.Errorf("hand: %d are claimed, %d of them over, by %d workers", claimed, h.over, users)
	}
	for i, task := range h.tasks {
		if waits := int64(i) >= claimed && int64(i) < h.size; waits != (task != nil) {
			return fmt.Errorf("hand: of %d, %d claimed, number %d is there: %v", h.size, claimed, i, task != nil)
		}
	}
	return nil
}

// validateWatch checks that nothing waits beside somebody who could run it, and that somebody will look
// at what is due later.
func (p *Pool) validateWatch() error {
	head, due, _ := p.head()
	if p.stage >= stopping || head == parking.Nothing {
		return nil
	}
	now := p.now()
	in, err := p.lot.Validate()
	if err != nil {
		return err
	}
	mayGrow := len(p.workers) < p.limit()
	switch due = due || head <= now; {
	case due && p.overdrawnLocked():
	case due && p.lot.Idle() > 0:
		return fmt.Errorf("a task for %d is due, at %d, and %d workers are idle", head, now, p.lot.Idle())
	case due && mayGrow:
		return fmt.Errorf("a task for %d is due, at %d, and there are %d workers of %d", head, now, len(p.workers), p.limit())
	case due:
	case in.Leader == nil && (p.lot.Idle() > 0 || mayGrow):
		return fmt.Errorf("nobody waits for the task at %d; %d workers are idle, of %d", head, p.lot.Idle(), len(p.workers))
	case in.Leader != nil && (in.Rung || in.Armed > head || in.Armed <= now):
		return fmt.Errorf("the leader waits until %d, it is %d, and the head is for %d; it is called: %v", in.Armed, now, head, in.Rung)
	}
	return nil
}

func (p *Pool) validateEntrants() error {
	if p.entrants.list.Len() == 0 {
		return nil
	}
	if p.stage != running {
		return fmt.Errorf("%d submitters wait in a pool that is %v", p.entrants.list.Len(), p.stage)
	}
	for place := p.entrants.list.Front(); place != nil; place = place.Next() {
		if p.room(place.Value.(*entrant).cell, 0) {
			return fmt.Errorf("%d submitters wait, and there is room for one", p.entrants.list.Len())
		}
		if planOf(place.Value.(*entrant).cell).strand == nil {
			break // those behind wait for their turn
		}
	}
	return nil
}

// validateStage checks that a pool does not stay in a stage that is over.
func (p *Pool) validateStage() error {
	ended := false
	select {
	case <-p.done:
		ended = true
	default:
	}
	left := len(p.workers) + len(p.guests)
	switch {
	case p.stage == running:
		return nil
	case p.stage == tidying, ended != (p.stage == terminated):
		return fmt.Errorf("a pool rests that is %v", p.stage)
	case p.stage >= stopping && p.waiting()+p.aside > 0:
		return fmt.Errorf("%d tasks wait in a pool that is %v", p.waiting()+p.aside, p.stage)
	case p.stage == terminated && left > 0:
		return fmt.Errorf("%d workers and guests in a pool that is over", left)
	case p.stage < terminated && p.over() && p.counts.busy == 0: // idle workers stay as long as others are busy
		return fmt.Errorf("there is nothing to do for %d workers and guests, and the pool is %v", left, p.stage)
	}
	return nil
}

// Denied returns how many waits could not be helped so far.
func (p *Pool) Denied() int {
	defer p.Lock()()
	return p.waits.denied.Len()
}
