package tape

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/cell"
)

const (
	flushAt      = 32 << 10    // bytes that are worth a call of Write
	flushEach    = time.Second // after so long fewer are written, too
	mostWaiting  = 4 << 20     // bytes that wait for a slow writer
	mostRecorded = 64 << 20    // bytes of a recording
)

// Writer writes the recording of one executor. Events are added to a buffer, which takes about a
// microsecond and waits for nobody; a goroutine that is there only while there is enough to write
// passes them on. What a slow writer cannot take is counted and left out.
//
//	idle    -> writing  flush: the buffer is full enough; flushRest: it is old enough
//	writing -> idle     write: it is empty enough
//	any     -> closed   Close; or Write has failed
type Writer struct {
	to    io.Writer
	owner *run.Owner
	start int64
	base  time.Time

	mu      sync.Mutex
	idle    sync.Cond // writing has become false
	tasks   map[*cell.Cell]*recorded
	count   uint64 // of tasks
	buffer  []byte
	spare   []byte
	length  int // of what has been recorded
	lost    uint64
	waiting bool // for flushRest
	writing bool
	full    bool
	closed  bool
}

// recorded is a task of which more is to come. A run in progress keeps it from being forgotten: the
// last that is told of a task, such as its cancellation, may be told just before the end of its
// run.
type recorded struct {
	number uint64
	runs   bool
	over   bool // it is to be forgotten with the end of the run
}

var _ sight.Recorder = (*Writer)(nil)

// NewWriter begins a recording.
func NewWriter(to io.Writer, o *run.Owner) *Writer {
	w := &Writer{to: to, owner: o, start: o.Clock.Now(), tasks: map[*cell.Cell]*recorded{}}
	w.base = o.Clock.Time(w.start)
	w.idle.L = &w.mu
	w.line(Header{Version: Version, Name: o.Name, Kind: o.Kind, Workers: o.Size, At: w.base})
	return w
}

// Submitted implements [sight.Recorder].
func (w *Writer) Submitted(c *cell.Cell, pl *run.Plan, in time.Duration) {
	e := Event{What: Submitted, Name: pl.Name, In: int64(max(in, 0)), Calendar: pl.Dates != nil,
		Timeout: int64(pl.Timeout), BeginWithin: int64(pl.BeginWithin), Silent: pl.Reports}
	if pl.Periodic() {
		e.CatchUp, e.OnError, e.MaxRuns = pl.CatchUp, pl.OnError, pl.MaxRuns
		e.Planned = pl.Jitter > 0 || pl.BackOff.Factor > 0 || pl.DelayBy != nil
		if !e.Calendar {
			e.Rate, e.Delay = max(pl.Period, 0), max(-pl.Period, 0)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.full {
		return
	}
	w.count++
	w.tasks[c] = &recorded{number: w.count}
	w.add(c, e)
}

// Began implements [sight.Recorder].
func (w *Writer) Began(c *cell.Cell, i run.Info, due int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.add(c, Event{What: Began, Run: i.Number, Attempt: i.Attempt, Extra: i.Triggered,
		Due: due - w.start})
	if t := w.tasks[c]; t != nil {
		t.runs = true
	}
}

// Ended implements [sight.Recorder].
func (w *Writer) Ended(c *cell.Cell, i run.Info, how run.Outcome, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tasks[c]
	if t == nil {
		return
	}
	t.runs, last = false, last || t.over
	w.add(c, Event{What: Ended, Run: i.Number, Attempt: i.Attempt, How: outcomes[how], Last: last})
	if last {
		delete(w.tasks, c)
	}
}

var outcomes = map[run.Outcome]string{run.Succeeded: OK, run.Failed: Failed, run.Skipped: Skipped,
	run.Panicked: Panic, run.Exited: Goexit, run.Overran: Timeout}

// Told implements [sight.Recorder].
func (w *Writer) Told(what string, c *cell.Cell, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.tasks[c]; t != nil && t.runs {
		t.over, last = t.over || last, false
	}
	w.add(c, Event{What: told[what], Last: last})
	if last {
		delete(w.tasks, c)
	}
}

var told = map[string]string{"rejected": Rejected, "cancelled": Cancelled, "dropped": Dropped,
	"expired": Expired, "paused": Paused, "resumed": Resumed, "over": Over}

// add adds an event of a task. The lock is held.
func (w *Writer) add(c *cell.Cell, e Event) {
	if c != nil {
		t := w.tasks[c]
		if t == nil {
			return // it has ended, as far as the recording goes
		}
		e.Task = t.number
	}
	switch {
	case w.closed || w.full:
	case len(w.buffer) >= mostWaiting:
		w.lost++
	default:
		e.At = w.owner.Clock.Now() - w.start
		w.flushLost(e.At)
		w.line(e)
		if w.length >= mostRecorded {
			w.full = true
			w.line(Event{At: e.At, What: Full})
		}
		w.flush()
	}
}

// flush has the buffer written: now if there is enough, or else in a while. The lock is held.
func (w *Writer) flush() {
	switch {
	case w.writing:
	case len(w.buffer) >= flushAt:
		w.writing = true
		go w.write()
	case !w.waiting:
		w.waiting = true
		time.AfterFunc(flushEach, w.flushRest)
	}
}

// flushRest writes what has not been enough for a second.
func (w *Writer) flushRest() {
	w.mu.Lock()
	w.waiting = false
	idle := !w.writing && !w.closed && len(w.buffer) > 0
	w.writing = w.writing || idle
	w.mu.Unlock()
	if idle {
		w.write()
	}
}

// flushLost says how many events have been left out. The lock is held.
func (w *Writer) flushLost(at int64) {
	if w.lost > 0 {
		w.line(Event{At: at, What: Lost, Count: w.lost})
		w.lost = 0
	}
}

// line adds a line. The lock is held, or nobody else knows of the Writer yet.
func (w *Writer) line(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // of numbers and strings, so it does not happen
	}
	w.buffer = append(append(w.buffer, text...), '\n')
	w.length += len(text) + 1
}

// write passes on what is in the buffer, until there is little.
func (w *Writer) write() {
	defer func() { // also if Write ends the goroutine
		w.mu.Lock()
		defer w.mu.Unlock()
		w.writing = false
		w.idle.Broadcast()
	}()
	for w.pass() {
	}
}

// pass writes the buffer once, and reports whether there is more to write by now.
func (w *Writer) pass() (more bool) {
	w.mu.Lock()
	out := w.buffer
	w.buffer = w.spare[:0]
	w.mu.Unlock()
	failed := true // also if Write panics, or ends the goroutine
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.spare = out[:0]
		w.closed = w.closed || failed
		more = !w.closed && len(w.buffer) >= flushAt
	}()
	defer w.owner.Settles()()
	w.owner.Guard("record", run.Info{}, func() {
		_, err := w.to.Write(out)
		if failed = err != nil; failed {
			w.owner.HookFailed(run.Info{}, "record", err)
		}
	})
	return false
}

// Close writes the rest. It waits for the writer, and is called once, after all else.
func (w *Writer) Close() {
	w.mu.Lock()
	for w.writing {
		w.idle.Wait()
	}
	if w.closed {
		w.tasks, w.buffer, w.spare = nil, nil, nil
		w.mu.Unlock()
		return
	}
	at := w.owner.Clock.Now() - w.start
	w.flushLost(at)
	w.line(Event{At: at, What: Closed})
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.closed, w.tasks, w.buffer, w.spare = true, nil, nil, nil
	}()
	w.pass()
}
