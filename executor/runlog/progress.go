package runlog

import (
	"context"
	"strings"
	"sync/atomic"
)

// Position is how far a run is.
type Position struct {
	Done  int64  `json:"done"`
	Total int64  `json:"total,omitempty"` // 0 if that is not known
	Note  string `json:"note,omitempty"`
}

// Ratio returns how far it is, from 0 to 1; false if that is not known.
func (p Position) Ratio() (ratio float64, known bool) {
	if p.Total <= 0 {
		return 0, false
	}
	return min(float64(p.Done)/float64(p.Total), 1), true
}

// Progress says how far a run is, of whatever there is to do: rows, files, steps. A total of 0 is
// one that is not known. The note may say what is being done; it is cut after 200 bytes. ctx is the
// context of the run, or derives from it; with any other Progress does nothing. It may be called as
// often as there is something to say, and by several goroutines: it takes no lock, but the first
// time in a run. What is below 0 counts as 0.
func Progress(ctx context.Context, done, total int64, note string) {
	r := of(ctx)
	if r == nil {
		return
	}
	r.progress.set(max(done, 0), max(total, 0), note)
	r.enter()
}

// progress is how far a run says it is. Done and total may be of two calls for a moment.
type progress struct {
	said        atomic.Bool
	done, total atomic.Int64
	note        atomic.Pointer[string]
}

// longestNote is how much of a note is kept, in bytes.
const longestNote = 200

func (p *progress) set(done, total int64, note string) {
	p.total.Store(total)
	p.done.Store(done)
	note = cut(note, longestNote)
	if was := p.note.Load(); was == nil || *was != note {
		kept := strings.Clone(note)
		p.note.Store(&kept)
	}
	p.said.Store(true)
}

// position returns how far the run is; nil if it has not said.
func (p *progress) position() *Position {
	if !p.said.Load() {
		return nil
	}
	at := &Position{Done: p.done.Load(), Total: p.total.Load()}
	if note := p.note.Load(); note != nil {
		at.Note = *note
	}
	return at
}
