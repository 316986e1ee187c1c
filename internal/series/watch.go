package series

// watch keeps an overrun from being reported twice: by the timeout, while the body is in progress,
// and at the end of the body.
//
//	inTime   -> overdue  Expire: the timeout was first
//	inTime   -> over     End: the body was first
//	overdue  -> over     End
//	over     -> inTime   Start
type watch uint8

const (
	inTime watch = iota
	overdue
	over
)

// Expire reports, once, that the run in progress, which started at the given time, has exceeded its
// timeout. It reports false if it comes too late: the body has returned, or another run has started
// since.
func (s *Series) Expire(started, now int64) bool {
	if s.watch != inTime || now-started < int64(s.Timeout) {
		return false
	}
	s.watch = overdue
	return true
}

// End ends the run as far as Expire is concerned, and reports whether Expire has reported it.
func (w *watch) End() (expired bool) {
	expired = *w == overdue
	*w = over
	return expired
}
