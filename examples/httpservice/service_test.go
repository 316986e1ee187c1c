package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// pipes is a listener whose connections are pipes: they work in a bubble of virtual time.
type pipes struct {
	made chan net.Conn
	done chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.done)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			select {
			case p.made <- there:
				return here, nil
			case <-p.done:
				return nil, net.ErrClosed
			}
		}}}
}

func get(t *testing.T, c *http.Client, path string) (int, string) {
	t.Helper()
	answer, err := c.Get("http://service" + path)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// start runs a service, and returns what ends it, and its error.
func start(t *testing.T, grace time.Duration) (*Service, *pipes, context.CancelFunc, <-chan error) {
	t.Helper()
	s, err := NewService(grace, time.Minute)
	require.NoError(t, err)
	l := newPipes()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l) }()
	return s, l, cancel, ended
}

func TestRequestsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, cancel, ended := start(t, 10*time.Second)
		for range 5 {
			get(t, l.client(), "/")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		_, text := get(t, l.client(), "/")
		require.Equal(t, "5 requests in the last span\n", text)
		status, _ := get(t, l.client(), "/healthz")
		require.Equal(t, http.StatusOK, status)
		cancel()
		require.NoError(t, <-ended)
	})
}

// A request that is under way when the signal comes is finished, and the service ends as soon as it
// is.
func TestARequestUnderWayIsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, cancel, ended := start(t, 10*time.Second)
		go func() {
			time.Sleep(100 * time.Millisecond)
			cancel()
		}()
		status, text := get(t, l.client(), "/slow")
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "finished\n", text)
		require.NoError(t, <-ended)
	})
}

// A liveness probe that fails has the process restarted, which is of no use to a job that is late.
func TestALateJobIsNoReasonForARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l, cancel, ended := start(t, 10*time.Second)
		_, err := s.pool.AtFixedRate(0, time.Minute, func(context.Context) error {
			return errors.New("no answer")
		}, executor.Name("poll"), executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		status, text := get(t, l.client(), "/healthz")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, insight.HealthDegraded)
		cancel()
		require.NoError(t, <-ended)
	})
}

// A job that does not look at its context does not hold the service up for ever.
func TestAJobThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, cancel, ended := start(t, 10*time.Second)
		require.NoError(t, s.pool.Execute(func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		}))
		time.Sleep(time.Second)
		begun := time.Now()
		cancel()
		err := <-ended
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "jobs were cut off")
		require.Equal(t, 10*time.Second, time.Since(begun))
		time.Sleep(time.Hour) // the bubble waits for all goroutines
	})
}
