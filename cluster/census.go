package cluster

import (
	"context"
	"time"
)

// A census goes through all that is stored of series, once, and keeps of each how it stands:
//
//	nothing          -> waits, due, paused    as its first message says
//	due, or running  -> the same              a command behind it, which is followed after the run
//	any              -> waits, due, paused    as a message says that came later
//	any              -> ended                 a tombstone
//
// A series that moves while the census is taken is met again, further behind.
type standing struct {
	link     link
	run      bool      // the link is on the queue of runs, and is one
	sequence uint64    // of its message
	newest   uint64    // of the series' newest message
	begins   time.Time // since when its next run is due, or will be; zero if it is paused
	message  seen      // that of the link; of those that are overdue
}

// census tells of each series how it stands. Of those whose runs were due at a time at the latest
// it keeps the messages.
func (p *Pool) census(ctx context.Context, limit time.Time) (map[place]*standing, error) {
	all := map[place]*standing{}
	take := func(m seen) bool {
		at := p.on.placeOfAny(m.subject)
		if isTombstone(m.header) {
			delete(all, at)
			return true
		}
		s := all[at]
		if s == nil {
			s = new(standing)
			all[at] = s
		}
		s.read(m, p.on.armed(m.subject), limit)
		return true
	}
	// What waits for its time comes by its subject: among all there may be a million tasks.
	for next := uint64(1); next > 0; {
		var err error
		if next, err = p.scan(ctx, p.on.kept("*", "", false), next, 0, take); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read takes in a message of the series, which is the newest so far.
func (s *standing) read(m seen, armed bool, limit time.Time) {
	s.newest = m.sequence
	l, err := readLink(m.header)
	if err != nil { // of a later version, perhaps: there is a series, and no more is known
		*s = standing{sequence: m.sequence, newest: m.sequence}
		return
	}
	if s.run && !armed && l.follows >= s.sequence {
		return
	}
	*s = standing{link: l, run: !armed && l.do == doRun, sequence: m.sequence, newest: m.sequence,
		begins: l.begins(m.stored)}
	if s.overdue(limit) {
		s.message = m
	}
}

func (s *standing) paused() bool { return s.link.do == doPause }

// overdue tells whether a run was due at a time at the latest.
func (s *standing) overdue(limit time.Time) bool {
	return !s.begins.IsZero() && !s.begins.After(limit)
}

// begins is since when the run of a link is due, or will be. A command that was not followed yet
// says it of when it was given at the earliest.
func (l link) begins(stored time.Time) time.Time {
	due := l.due
	switch l.do {
	case doPause:
		return time.Time{}
	case doResume:
		due, _ = l.cadence.caughtUp(l.upcoming, due, stored)
	case doRun:
		return due
	}
	if !due.IsZero() && due.Before(stored) {
		return stored
	}
	return due
}
