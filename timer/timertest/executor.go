package timertest

import "sync"

// callItself is an Executor that calls f on the facility's goroutine, and so keeps it waiting.
func callItself(f func()) error {
	f()
	return nil
}

// shelf is an Executor that holds functions until clear calls them.
type shelf struct {
	mu   sync.Mutex
	held []func()
}

func (s *shelf) execute(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, f)
	return nil
}

// clear calls the functions handed over so far, in order, and returns how many there were.
func (s *shelf) clear() int {
	s.mu.Lock()
	held := s.held
	s.held = nil
	s.mu.Unlock()
	for _, f := range held {
		f()
	}
	return len(held)
}

// doorman is an Executor that calls f at once, or refuses it while closed is not nil.
type doorman struct {
	mu     sync.Mutex
	closed error
}

func (d *doorman) execute(f func()) error {
	d.mu.Lock()
	err := d.closed
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return callItself(f)
}

// close makes the doorman refuse with err. With nil it opens again.
func (d *doorman) close(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = err
}
