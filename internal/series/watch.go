package series

// watch keeps a run from being told twice to have outlived its time-out: by the time-out, while the
// body is in progress, and at the end of the body.
//
//	inTime   -> overdue  Expire: the time-out was first
//	inTime   -> over     End: the body was
//	overdue  -> over     End
//	over     -> inTime   Start
type watch uint8

const (
	inTime watch = iota
	overdue
	over
)

// Expire reports, once, that the run in progress, which has started at the given time, has outlived
// its time-out. What comes late, for a run that is over, is not heeded.
func (s *Series) Expire(started, now int64) bool {
	if s.watch != inTime || now-started < int64(s.Timeout) {
		return false
	}
	s.watch = overdue
	return true
}

// End ends the run for Expire, and reports whether that has told of it.
func (s *Series) End() (expired bool) {
	expired = s.watch == overdue
	s.watch = over
	return expired
}
