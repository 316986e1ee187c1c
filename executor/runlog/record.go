package runlog

import (
	"container/list"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// record is what is kept of a run, or of an attempt of one. It is in the context of the run.
//
//	unknown -> entered     there is something to keep
//	entered -> forgotten   there is no room for it any more; the run may still go on
type record struct {
	log   *Log
	pool  string
	run   executor.Run
	trace string

	entered atomic.Bool
	place   *list.Element // in the list that it is in; the lock of the log guards it
	over    bool          // it is in that of runs that have ended; likewise

	busy     atomic.Int32 // lines that are being written down
	crowded  atomic.Bool  // there were too many; until there is none
	progress progress

	mu        sync.Mutex
	lines     []Line // a ring once it is as long as may be
	first     int    // of the ring
	bytes     int64  // of all that is kept of the run
	counted   bool   // these are part of those of the log
	dropped   uint64
	forgotten bool
	took      time.Duration
	ended     bool
	err       string
	skipped   bool
}

// mostBusy is how many lines of a run may be written down at once. A value that logs itself when it
// is logged would else never end; and no other line comes until all are done, or one that does so
// twice would take for ever.
const mostBusy = 64

// recordSize is what a record is taken to need, and lineSize a line beside its text.
const (
	recordSize = 600
	lineSize   = 80
)

// keep adds a line.
func (r *record) keep(rec slog.Record, with *scope) {
	defer r.leave()
	if r.busy.Add(1) > mostBusy {
		r.crowded.Store(true)
	}
	if r.crowded.Load() {
		r.drop()
		return
	}
	w, _ := r.log.writers.Get().(*writer)
	if w == nil {
		w = new(writer)
	}
	line := w.line(rec, with)
	r.log.writers.Put(w)
	r.enter()
	r.add(line)
	r.log.makeRoom(r)
}

// count has the log count what is kept of the run, from now on, and reports whether it has ended.
func (r *record) count() (ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counted = true
	r.log.bytes.Add(r.bytes)
	r.growLocked(recordSize + int64(len(r.pool)+len(r.run.Name)))
	return r.ended
}

func (r *record) growLocked(more int64) {
	if r.bytes += more; r.counted {
		r.log.bytes.Add(more)
	}
}

// leave is called for each line, however keep ends.
func (r *record) leave() {
	if r.busy.Add(-1) == 0 {
		r.crowded.Store(false)
	}
}

// drop counts a line that is not kept.
func (r *record) drop() {
	r.mu.Lock()
	r.dropped++
	r.mu.Unlock()
	r.log.dropped.Add(1)
}

// add adds a line, in place of the oldest if there are as many as may be.
func (r *record) add(line Line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.forgotten {
		r.log.dropped.Add(1)
		return
	}
	more := line.size()
	if len(r.lines) < r.log.config.Lines {
		r.lines = append(r.lines, line)
	} else {
		more -= r.lines[r.first].size()
		r.lines[r.first] = line
		r.first = (r.first + 1) % len(r.lines)
		r.dropped++
		r.log.dropped.Add(1)
	}
	r.growLocked(more)
}

// trim drops the oldest lines, up to so many bytes.
func (r *record) trim(over int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.inOrder()
	gone := 0
	for gone < len(lines) && over > 0 {
		size := lines[gone].size()
		over -= size
		r.growLocked(-size)
		gone++
	}
	r.lines, r.first = append([]Line(nil), lines[gone:]...), 0
	r.dropped += uint64(gone)
	r.log.dropped.Add(uint64(gone))
}

// inOrder returns a copy of the lines, the oldest first, with the lock held.
func (r *record) inOrder() []Line {
	if len(r.lines) == 0 {
		return nil
	}
	return append(append(make([]Line, 0, len(r.lines)), r.lines[r.first:]...), r.lines[:r.first]...)
}

// finish notes how the run has ended.
func (r *record) finish(err error) {
	text, skipped := textOf(err), isSkipped(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.err, r.skipped = true, text, skipped
	r.took = max(time.Since(r.run.Started), 0)
	r.growLocked(int64(len(text)))
}

// isSkipped reports whether an error is that of a run that has not failed, even if its methods
// panic.
func isSkipped(err error) (is bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, executor.ErrSkipped)
}

// forget drops all.
func (r *record) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.growLocked(-r.bytes)
	r.log.dropped.Add(uint64(len(r.lines)))
	r.forgotten, r.counted, r.lines, r.err = true, false, nil, ""
}

// longestError is how much of an error is kept, in bytes.
const longestError = 1000

// textOf returns what an error says. Its methods are the user's, and may panic.
func textOf(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T, whose text panics", err)
		}
	}()
	return strings.Clone(cut(err.Error(), longestError))
}
