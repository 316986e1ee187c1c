package inspect

import "github.com/punctual-go/punctual/executor"

// waitsFor says what a task waits for that is not for its time, or not for that alone.
func (s *seen) waitsFor(p executor.Pending) string {
	e := s.tasks().byID[hashed(p.Name)]
	switch {
	case p.Scheduled.After(s.at):
		return ""
	case !p.Periodic || !p.Scheduled.IsZero():
		if s.figures.Paused {
			return "the pool to be resumed"
		}
		return "a free worker"
	case e != nil && e.name == p.Name && s.tasks().named(p.Name) == 1 && e.handle.Paused():
		return "its resumption"
	}
	return "its resumption, or to be run"
}
