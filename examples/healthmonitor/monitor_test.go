package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// network answers as each target is told to, and notes when it was asked.
type network struct {
	mu      sync.Mutex
	begun   time.Time
	asked   map[string][]time.Duration
	targets map[string]func(context.Context) error
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.asked[r.URL.Host] = append(n.asked[r.URL.Host], time.Since(n.begun))
	behave := n.targets[r.URL.Host]
	n.mu.Unlock()
	if behave != nil {
		if err := behave(r.Context()); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

func newNetwork() *network {
	return &network{begun: time.Now(), asked: map[string][]time.Duration{},
		targets: map[string]func(context.Context) error{}}
}

func seconds(ns ...int) (ds []time.Duration) {
	for _, n := range ns {
		ds = append(ds, time.Duration(n)*time.Second)
	}
	return ds
}

// A target that is down is asked after 20, 40, 80 and then each 80 seconds; the others every ten.
func TestADeadTargetIsAskedLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.targets["dead"] = func(context.Context) error { return errors.New("refused") }
		m := NewMonitor(&http.Client{Transport: n}, Settings{Period: 10 * time.Second,
			Timeout: time.Second, Rarest: 80 * time.Second, Workers: 4})
		require.NoError(t, m.Watch("http://dead"))
		require.NoError(t, m.Watch("http://alive"))
		require.ErrorIs(t, m.Watch("http://alive"), executor.ErrDuplicate)

		time.Sleep(5*time.Minute + time.Second)
		_, err := m.Close(t.Context())
		require.NoError(t, err)
		require.Equal(t, seconds(0, 20, 60, 140, 220, 300), n.asked["dead"])
		require.Len(t, n.asked["alive"], 31)
		require.Equal(t, 300*time.Second, n.asked["alive"][30])
	})
}

// One of two workers hangs on a target: its probe ends after a second, on the dot.
func TestATargetThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		n.targets["hangs"] = func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		m := NewMonitor(&http.Client{Transport: n}, Settings{Period: 10 * time.Second,
			Timeout: time.Second, Rarest: 10 * time.Second, Workers: 2})
		require.NoError(t, m.Watch("http://hangs"))
		time.Sleep(5 * time.Second)

		w := httptest.NewRecorder()
		m.ServeHTTP(w, nil)
		require.Contains(t, w.Body.String(), `"took": 1000000000`)
		down, all := m.Down()
		require.Equal(t, []int{1, 1}, []int{down, all})
		_, err := m.Close(t.Context())
		require.NoError(t, err)
	})
}

// Five hundred targets with jitter: each is asked once in each period, and they do not come at
// once.
func TestFiveHundredTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		m := NewMonitor(&http.Client{Transport: n}, Settings{Period: time.Minute,
			Jitter: time.Minute, Timeout: time.Second, Rarest: time.Hour, Workers: 500})
		for i := range 500 {
			require.NoError(t, m.Watch(fmt.Sprintf("http://target-%d", i)))
		}
		time.Sleep(10 * time.Minute)
		report, err := m.Close(t.Context())
		require.NoError(t, err)
		require.Len(t, report.Dropped, 500)
		moments := map[time.Duration]bool{}
		for target, asked := range n.asked {
			require.Len(t, asked, 10, target)
			for i, at := range asked {
				require.Equal(t, i, int(at/time.Minute), "%s was asked at %v", target, at)
				moments[at] = true
			}
		}
		require.Greater(t, len(moments), 4900)
	})
}
