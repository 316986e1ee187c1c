package called

import "testing"

func TestRun(t *testing.T) {
	s := newServer()
	s.stop()
	s.run()
}
