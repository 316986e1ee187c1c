package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
)

// KeepHistory has a pool or event loop remember what has happened lately, to show it: ten minutes
// second by second, the last 32 runs that were explained, and the last 16 runs of each of up to
// 4,096 periodic tasks. Runs that have expired are among these, see [PastRun]. See [Pool.History]
// and [Handle.History]. It implies [Measure]; and unless [ExplainLate] says otherwise, runs later
// than 10 ms, and those that have expired, are explained, but not logged.
//
// It keeps 60 KiB, and about 2 KiB for each periodic task. Errors of these runs are kept, too.
func KeepHistory() CommonOption {
	return forLoops(func(s *run.Settings) {
		measured(s)
		sight.ConfigOf(s).History = func(s *sight.Sight) any { return historyOf(s) }
	})
}

// History is what has happened lately.
type History struct {
	Seconds []Second  `json:"seconds,omitempty"` // in which runs have begun or expired, in order
	Late    []PastRun `json:"late,omitempty"`    // runs that were explained, the latest first
}

// Second sums up the runs that have begun within a second and have ended, and counts those that
// have expired in it. The clock that tells seconds from each other is that of the pool, which began
// when the pool was made.
type Second struct {
	At       time.Time `json:"at"` // when it began
	Runs     uint64    `json:"runs"`
	Failures uint64    `json:"failures,omitempty"`
	Expired  uint64    `json:"expired,omitempty"` // they are no runs, see BeginWithin

	// The run that was latest: how late, and which.
	Late   time.Duration `json:"late"`
	Name   string        `json:"name,omitempty"`
	Number uint64        `json:"number"`
	Took   time.Duration `json:"took"`
}

// PastRun is a run that has ended, and how late it began; or one that has expired, see
// [BeginWithin]. That has not begun: Number is the one that it would have had, Started and Late
// tell when it expired, Took is 0, and Err matches [ErrExpired]. An error alone does not tell the
// two apart: a body may return that of another task.
type PastRun struct {
	LastRun
	Late    time.Duration
	Why     *Lateness // what it had waited for; nil if it was not explained
	Expired bool
}

// History returns what has happened lately; without [KeepHistory], nothing. It takes the lock for
// some microseconds.
func (p *Pool) History() History { return historyOf(sight.Of(p.runs())) }

func historyOf(s *sight.Sight) (h History) {
	seconds, late := s.Remembered()
	for _, second := range seconds {
		h.Seconds = append(h.Seconds, Second(second))
	}
	for _, r := range late {
		h.Late = append(h.Late, pastRunOf(r))
	}
	return h
}

func pastRunOf(r sight.Past) PastRun {
	past := PastRun{LastRun: lastRunOf(r.LastRun), Late: r.Late, Expired: r.Expired}
	if r.Why != nil {
		why := latenessOf(*r.Why)
		past.Why = &why
	}
	return past
}

// History returns the last runs of a periodic task, the latest first, with those that have expired;
// without [KeepHistory], none.
func (h Handle) History() (runs []PastRun) {
	o, pl, ok := h.commanded()
	if !ok {
		return nil
	}
	for _, r := range sight.Of(o).Trail(pl) {
		runs = append(runs, pastRunOf(r))
	}
	return runs
}
