package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
)

// desk notes when mails came, and answers as each address is told to.
type desk struct {
	mu      sync.Mutex
	begun   time.Time
	came    []time.Duration
	answers map[string][]error
}

func (d *desk) Send(_ context.Context, m Mail) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.came = append(d.came, time.Since(d.begun))
	if rest := d.answers[m.To]; len(rest) > 0 {
		d.answers[m.To] = rest[1:]
		return rest[0]
	}
	return nil
}

func send(t *testing.T, s *Sender, to string) *future.Future[struct{}] {
	t.Helper()
	f, err := s.Send(t.Context(), Mail{To: to})
	require.NoError(t, err)
	return f
}

// A thousand mails at ten a second: no second, wherever it begins, has more than ten, and the whole
// takes as long as it must.
func TestThePaceIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{begun: time.Now()}
		s := NewSender(d, 10, time.Second)
		for i := range 1000 {
			send(t, s, fmt.Sprint(i))
		}
		_, err := s.Close(t.Context())
		require.NoError(t, err)
		require.Len(t, d.came, 1000)
		for i := 10; i < len(d.came); i++ {
			require.GreaterOrEqual(t, d.came[i]-d.came[i-10], time.Second)
		}
		require.Equal(t, 99*time.Second, d.came[999])
	})
}

func TestWhatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := errors.New("busy")
		d := &desk{begun: time.Now(), answers: map[string][]error{
			"slow": {busy, busy, busy}, "never": {busy, busy, busy, busy, busy, busy, busy},
			"gone": {ErrBounced},
		}}
		s := NewSender(d, 10, time.Second)
		slow, never, gone := send(t, s, "slow"), send(t, s, "never"), send(t, s, "gone")
		_, err := slow.Get(t.Context())
		require.NoError(t, err)
		_, err = never.Get(t.Context())
		require.ErrorIs(t, err, busy)
		_, err = gone.Get(t.Context())
		require.ErrorIs(t, err, ErrBounced)
		_, err = s.Close(t.Context())
		require.NoError(t, err)
		require.Len(t, d.came, 4+6+1)
	})
}

// What could not be sent in time is in the report.
func TestCloseWithALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSender(&desk{}, 10, time.Second)
		for i := range 100 {
			send(t, s, fmt.Sprint(i))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
		defer cancel()
		report, err := s.Close(ctx)
		require.Error(t, err)
		require.Len(t, report.Dropped, 50)
	})
}
