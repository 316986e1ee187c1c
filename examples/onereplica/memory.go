package main

import (
	"context"
	"sync"
)

// server has one lock, in memory.
type server struct {
	mu     sync.Mutex
	holder *session
}

// session is the lock of a server, as one replica has it.
type session struct {
	server *server
	lose   context.CancelCauseFunc // while the lock is held
}

func (s *session) TryLock(ctx context.Context) (held context.Context, ok bool, err error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.holder != nil {
		return nil, false, nil
	}
	s.server.holder = s
	held, s.lose = context.WithCancelCause(ctx)
	return held, true, nil
}

func (s *session) Unlock() error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.lose(nil)
	if s.server.holder == s {
		s.server.holder = nil
	}
	return nil
}

// disconnect ends the session that holds the lock, which is free then.
func (s *server) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil {
		s.holder.lose(ErrLost)
		s.holder = nil
	}
}
