package executor

import (
	"sync"
	"time"
)

// snapper calls a function now and then.
//
//	ready   -> calling  late
//	calling -> resting  the function has returned
//	resting -> calling  late, once the interval is over
type snapper struct {
	interval time.Duration
	f        func(Run, Lateness)

	mu      sync.Mutex
	calling bool
	called  time.Time // when it was called last; zero before that
}

func newSnapper(interval time.Duration, f func(Run, Lateness)) *snapper {
	return &snapper{interval: interval, f: f}
}

// late calls the function by guard, unless it has been called a moment ago.
func (s *snapper) late(r Run, l Lateness, guard func(func())) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.calling || !s.called.IsZero() && now.Sub(s.called) < s.interval {
		return
	}
	s.calling, s.called = true, now
	go func() {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.calling = false
		}()
		guard(func() { s.f(r, l) })
	}()
}
