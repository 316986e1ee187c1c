package pairs

import (
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// journal has the records of the tasks.
type journal struct {
	*clock

	// mu guards the rest, and what is in the records. It is not held while the executor is called.
	// The locks of the other parts of a life may be taken with it held.
	mu      sync.Mutex
	records []*record
	byTask  map[*task]*record
	byName  map[string]*record
	begun   int       // bodies
	jobs    []*record // of Apply
}

// open begins the record of a task.
func (j *journal) open(t *task) *record {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &record{t: t, id: len(j.records), cancelled: -1, submitted: j.now()}
	j.records = append(j.records, r)
	j.byTask[t] = r
	if !t.unnamed {
		j.byName[t.name()] = r
	}
	return r
}

// of returns the record of a task; nil before it is submitted.
func (j *journal) of(t *task) *record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byTask[t]
}

func (j *journal) named(name string) *record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byName[name]
}

func (j *journal) all() []*record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.records)
}

// answered notes what the submission of a task has returned.
func (j *journal) answered(r *record, f *future.Future[struct{}], err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if f != nil {
		r.future, r.outcome = f, f
	}
	r.answered, r.answeredAt, r.err = true, j.now(), err
}

// returns notes that a submission has ended, by a panic or Goexit if it has not been answered.
func (j *journal) returns(r *record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !r.answered && r.t.way.way != wTurn {
		r.answered, r.panicked, r.answeredAt = true, true, j.now()
	}
}

// hasTyped notes the future of a task, before its submission is answered.
func (j *journal) hasTyped(r *record, f *future.Future[int]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.typed, r.outcome = f, f
}

// hasHandle notes the handle of a task.
func (j *journal) hasHandle(r *record, h executor.Handle) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.handle, r.handled = h, true
}

// handle returns the handle of a task, if its submission has returned one by now.
func (j *journal) handle(r *record) (executor.Handle, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return r.handle, r.handled
}

// outcomeOf returns the future of a task, if it has one that its submission has returned by now.
func (j *journal) outcomeOf(r *record) outcome {
	j.mu.Lock()
	defer j.mu.Unlock()
	return r.outcome
}

// futuresOf returns the future of a task, with or without a result.
func (j *journal) futuresOf(r *record) (*future.Future[struct{}], *future.Future[int]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return r.future, r.typed
}

// stillOpen reports whether a task has not ended.
func (j *journal) stillOpen(r *record) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return r.open()
}

// adopt returns the number of another task that the bodies of this one submit. Several bodies of
// one task may run at the same time.
func (j *journal) adopt(r *record) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.children++
	return 1000*(r.id+1) + r.children
}

// taint notes that not all is known of a task any more.
func (j *journal) taint(r *record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.tainted = true
}

// losesContext notes that the context of a task, or of its group, ends.
func (j *journal) losesContext(r *record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.contextEnded = true
}

// moving notes a command before it is given: what it lets begin may do so before it returns.
func (j *journal) moving(r *record, m move) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.moves = append(r.moves, m)
}

// cancels notes that a command has cancelled a task, and returns when one did before; below 0 if
// none has.
func (j *journal) cancels(r *record) (before time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	before, r.cancelled = r.cancelled, j.now()
	return before
}

// lists notes that a task is handed back, and returns how often it was by now.
func (j *journal) lists(r *record) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.listed++
	return r.listed
}
