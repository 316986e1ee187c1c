package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is a nats-server in this process. Make one with [Start] and end it with [Server.Close].
type Server struct {
	nats *server.Server
	own  []nats.Option // of connections within the process
	lock *lock         // of its directory
}

// startWithin is for how long a start waits for the directory, and then for the server.
const startWithin = 30 * time.Second

// Start starts a server that stores its data in a directory, and waits until it is ready. It has no
// port unless told by [Listen]. It is made to keep what it accepts: it acknowledges after the disk
// has it, which costs a sync for each message. A directory is used by one server at a time: while
// another process of this package has it, Start waits, for half a minute at most, so that a process
// can be replaced by the next. (A nats-server that was started on it is not noticed.)
//
// ctx bounds the start alone. If it ends before the server is ready, the server is ended in order
// before Start returns, so that nobody writes to the directory any more.
func Start(ctx context.Context, dir string, opts ...Option) (*Server, error) {
	if dir == "" {
		return nil, errors.New("embedded: a directory is needed for the data")
	}
	o := &server.Options{
		ServerName:         "punctual",
		DontListen:         true,
		JetStream:          true,
		StoreDir:           dir,
		SyncAlways:         true,
		JetStreamMaxMemory: 64 << 20,
		NoLog:              true,
		NoSigs:             true,
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(o); err != nil {
			return nil, err
		}
	}
	if err := guard(o); err != nil {
		return nil, err
	}
	own, err := ownUser(o)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("embedded: %w", context.Cause(ctx))
	}
	lock, err := lockDir(ctx, o.StoreDir)
	if err != nil {
		return nil, fmt.Errorf("embedded: %s: %w", dir, err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		lock.release()
		return nil, fmt.Errorf("embedded: %w", err)
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		s.Start()
	}()
	if err := ready(ctx, s); err != nil {
		<-started // what it begins after a shutdown nobody would end
		(&Server{nats: s, lock: lock}).Close()
		return nil, fmt.Errorf("embedded: the server with its data in %s: %w", dir, err)
	}
	return &Server{nats: s, own: own, lock: lock}, nil
}

func ready(ctx context.Context, s *server.Server) error {
	for range 3000 {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case s.ReadyForConnections(5*time.Millisecond) && s.JetStreamEnabled():
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("it is not ready after half a minute; another one may use the directory")
}

// Conn makes a connection without a socket. Close it when it is no longer needed. It may do
// everything, also if the server has [Users], unless the options say which of them it is.
func (s *Server) Conn(opts ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", slices.Concat(s.own, opts, []nats.Option{nats.InProcessServer(s.nats)})...)
}

// URL is where other processes connect to; empty without [Listen].
func (s *Server) URL() string {
	if s.nats.Addr() == nil {
		return ""
	}
	return s.nats.ClientURL()
}

// Close ends the server and waits until its data is on disk.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	s.lock.release()
}
