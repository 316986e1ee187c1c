// Package called has a ticker that its test calls as well.
package called

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

type server struct {
	done chan struct{}
	pool *executor.ScheduledPool
}

func newServer() *server { return &server{done: make(chan struct{})} }

func (s *server) stop() { close(s.done) }

func (s *server) run() {
	pool := s.pool
	_ = pool
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for { // want `ad-hoc ticker`
		select {
		case <-t.C:
			println("tick")
		case <-s.done:
			return
		}
	}
}

func (s *server) start() { go s.run() }
