package timertest

import "sync"

// callItself is an Executor that calls f on the goroutine of the facility, and so keeps it waiting.
func callItself(f func()) error {
	f()
	return nil
}

// shelf is an Executor that keeps what is handed over until it is called.
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

// clear calls everything that has been handed over so far, in order, and returns how much it was.
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

// doorman is an Executor that calls f itself, or refuses it while closed is not nil.
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

// close lets the doorman refuse with err, or open again with nil.
func (d *doorman) close(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = err
}
