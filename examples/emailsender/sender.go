package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// Mail is what is sent. A server may get it more than once, as the connection can break when it has
// taken the mail and not said so yet; the ID, which stays, tells the copies.
type Mail struct{ ID, To, Subject, Body string }

// Server takes mails. An error that matches ErrBounced is final.
type Server interface {
	Send(ctx context.Context, m Mail) error
}

// ErrBounced tells that a mail is refused for good, as its address does not exist, for example: to
// send it again would not help.
var ErrBounced = errors.New("bounced")

// Sender sends mails, at most so many in any span of time, which is what providers ask for. A mail
// that fails is tried again, and attempts count as mails do. Waiting holds no worker.
type Sender struct {
	server Server
	pool   *executor.ScheduledPool
}

// NewSender makes a sender of at most n mails per span. It holds back a writer when 10,000 wait.
func NewSender(s Server, n int, per time.Duration) *Sender {
	return &Sender{server: s, pool: executor.NewScheduledPool(8, executor.Name("mail"),
		executor.Pace(n, per), executor.PendingLimit(10_000))}
}

// Send accepts a mail, and gives it an ID if it has none. It waits while too many are pending, until
// ctx ends. The future tells what became of it.
func (s *Sender) Send(ctx context.Context, m Mail) (*future.Future[struct{}], error) {
	if m.ID == "" {
		m.ID = rand.Text()
	}
	return s.pool.SubmitContext(ctx, func(ctx context.Context) error {
		err := s.server.Send(ctx, m)
		if errors.Is(err, ErrBounced) {
			return retry.Permanent(fmt.Errorf("mail to %s: %w", m.To, err))
		}
		return err
	}, executor.Name(m.To), executor.Timeout(30*time.Second),
		executor.Retry(6, retry.Backoff{Base: time.Second, Max: 10 * time.Minute}))
}

// Close sends what has been accepted, and gives up when ctx ends. The report has what was left.
func (s *Sender) Close(ctx context.Context) (executor.Report, error) {
	s.pool.Shutdown()
	if err := s.pool.AwaitTermination(ctx); err == nil {
		return executor.Report{}, nil
	}
	return s.pool.CloseContext(ctx)
}
