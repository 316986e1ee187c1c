package pairs

import (
	"fmt"
	"sync"
	"time"
)

// findings are the faults of a life, and how much was done in it.
type findings struct {
	*clock
	seed uint64

	mu     sync.Mutex // guards the rest; it is a leaf
	report Report
	driven bool // the driver has come to its end
}

func (f *findings) lost(format string, args ...any) {
	f.note(&f.report.Lost, fmt.Sprintf(format, args...))
}

func (f *findings) duplicate(format string, args ...any) {
	f.note(&f.report.Duplicate, fmt.Sprintf(format, args...))
}

func (f *findings) early(format string, args ...any) {
	f.note(&f.report.Early, fmt.Sprintf(format, args...))
}

func (f *findings) late(format string, args ...any) {
	f.note(&f.report.Late, fmt.Sprintf(format, args...))
}

func (f *findings) wrong(format string, args ...any) {
	f.note(&f.report.Wrong, fmt.Sprintf(format, args...))
}

func (f *findings) stuck(format string, args ...any) {
	f.note(&f.report.Stuck, fmt.Sprintf(format, args...))
}

func (f *findings) leaked(format string, args ...any) {
	f.note(&f.report.Leaked, fmt.Sprintf(format, args...))
}

// note counts a fault of a sort, which is a field of the report.
func (f *findings) note(sort *int64, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := time.Duration(0)
	if !f.start.IsZero() && !f.driven {
		at = f.now()
	}
	f.report.note(sort, "seed %d, %v: %s", f.seed, at, text)
}

// op counts a submission, a command, or a body.
func (f *findings) op() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.Ops++
}

// isStuck reports whether something waits for what never came: then nothing more can be said.
func (f *findings) isStuck() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.report.Stuck > 0
}

// ends notes that the driver has come to its end. What is found later has no time.
func (f *findings) ends() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.driven = true
}

func (f *findings) hasEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.driven
}

// sees notes how often each pair was effective.
func (f *findings) sees(c Counts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.Seen = c
}

// ofOneLife returns the report of the life.
func (f *findings) ofOneLife() Report {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.Lives = 1
	return f.report
}
