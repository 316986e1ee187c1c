package metrics

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// values returns whether the figures were read, when they were, and one of them; -1 for none.
func values(families []Family) (isUp, at, healed float64) {
	get := func(name string) float64 {
		for _, f := range families {
			if f.Name == name && len(f.Points) == 1 && f.Points[0].Attributes[0] == "p" {
				return f.Points[0].Value
			}
		}
		return -1
	}
	return get("punctual.cluster.up"), get("punctual.cluster.last_read"), get("punctual.cluster.healed")
}

// fake is a server that answers as it is told to.
type fake struct {
	healed uint64
	err    error
	takes  time.Duration
	deaf   bool // it does not end when the context does
	asked  int
}

func (f *fake) read(ctx context.Context) ([]Family, error) {
	f.asked++
	if f.deaf {
		time.Sleep(f.takes)
	}
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := &sight{pool: "p", at: time.Now(), stats: cluster.Stats{Healed: f.healed}}
	return s.families(), f.err
}

func TestAReaderTellsWhatItHasReadLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := &fake{healed: 1, err: errors.New("no server")}
		r := newReader("p", Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, f.read)
		check := func(isUp, at, healed float64) {
			t.Helper()
			gotUp, gotAt, gotHealed := values(r.Read(t.Context()))
			require.Equal(t, []float64{isUp, at, healed}, []float64{gotUp, gotAt, gotHealed})
		}
		check(0, -1, -1)
		require.Contains(t, log.String(), "no server")
		f.err = nil
		at := seconds(time.Now())
		check(1, at, 1)
		f.healed, f.err = 2, errors.New("no server again")
		time.Sleep(keptFor)
		check(0, at, 1)
		time.Sleep(time.Nanosecond)
		check(0, at, -1)
		f.err = nil
		check(1, seconds(time.Now()), 2)
		check(1, seconds(time.Now()), 2)
		require.Equal(t, 4, strings.Count(log.String(), "\n"), log.String())
	})
}

func TestAReaderDoesNotHang(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{healed: 1}
			r := newReader("p", Options{Timeout: time.Second}, f.read)
			r.Read(t.Context())
			f.takes, f.deaf = time.Hour, deaf
			for range 3 {
				synctest.Wait() // the reading before has ended, too, at this very moment
				begun := time.Now()
				isUp, _, healed := values(r.Read(t.Context()))
				require.Equal(t, time.Second, time.Since(begun))
				require.Equal(t, []float64{0, 1}, []float64{isUp, healed})
			}
			if deaf {
				require.Equal(t, 2, f.asked, "it is asked again only when it has answered")
			}
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			begun := time.Now()
			r.Read(ctx)
			require.Equal(t, time.Millisecond, time.Since(begun))
			time.Sleep(3 * time.Hour)
			synctest.Wait()
			f.takes, f.deaf = 0, false
			isUp, _, _ := values(r.Read(t.Context()))
			require.Equal(t, 1.0, isUp)
		})
	}
}

func TestReadingsThatOverlapAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{takes: time.Second}
		r := newReader("p", Options{}, f.read)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				isUp, _, _ := values(r.Read(t.Context()))
				require.Equal(t, 1.0, isUp)
			})
		}
		all.Wait()
		require.Equal(t, 1, f.asked)
		r.Read(t.Context())
		require.Equal(t, 2, f.asked)
	})
}

func TestReadersRefuse(t *testing.T) {
	_, err := Readers(Options{}, nil)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = NewReader(nil, Options{})
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = Readers(Options{Timeout: -1}, new(cluster.Pool))
	require.ErrorIs(t, err, cluster.ErrInvalid)
	_, err = Readers(Options{}, new(cluster.Pool), new(cluster.Pool))
	require.ErrorContains(t, err, "two pools")
}
