package contexts_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// errLeft is why a caller has gone away.
var errLeft = errors.New("the caller has left")

// pass lets time pass, and waits until all is at rest.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// balanced asserts that both executors of s have come to one end with each task.
func balanced(t *testing.T, s *submission) {
	t.Helper()
	synctest.Wait()
	pooltest.Balanced(t, &s.pool.Pool)
	l := s.loop.Stats()
	assert.Equal(t, l.Accepted, l.Completed+l.Cancelled+l.Returned, "%+v", l)
	assert.Zero(t, l.Busy+l.Queued)
}

// errBase is why the base context of a pool has ended.
var errBase = errors.New("the base has ended")
