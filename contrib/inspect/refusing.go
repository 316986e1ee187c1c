package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// showsRefusing is shown of a source that has just refused tasks: its queue is full, or the
// contexts of those who wait for room have ended.
const showsRefusing = "refusing"

// refusing is what viewers have seen of submissions that a source has refused: nothing counts them
// by time, so it begins with the snapshot before the first of them.
type refusing struct {
	since time.Time // zero if none were refused lately
	last  time.Time
	from  uint64 // how many there had been before
}

// stillRefusing is for how long none may be refused until it is over.
const stillRefusing = 10 * time.Second

// refusingSince returns what is seen now, given the snapshot before.
func (s *seen) refusingSince(old *seen) refusing {
	r := old.refusing
	now, before := s.figures.Rejected, old.figures.Rejected
	switch {
	case s.at.Sub(old.at) > longAgo: // nobody has looked meanwhile
		return refusing{}
	case now > before && r.since.IsZero():
		return refusing{old.at, s.at, before}
	case now > before:
		r.last = s.at
	case s.at.Sub(r.last) > stillRefusing:
		return refusing{}
	}
	return r
}

// refusal returns what is wrong then, if anything is.
func (s *seen) refusal() (t insight.Trouble, ok bool) {
	r := s.refusing
	if s.figures == nil || r.since.IsZero() || s.figures.State != "running" {
		return t, false
	}
	return insight.Trouble{What: showsRefusing, Since: r.since,
		Reason: numbered(s.figures.Rejected-r.from, "submission") + " refused"}, true
}
