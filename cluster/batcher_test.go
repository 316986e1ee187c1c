package cluster

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"
)

// fakeServer stores messages, or refuses some of them, after a while.
type fakeServer struct {
	refused map[string]bool // messages that are refused for good
	delays  func() time.Duration
	silent  func() bool // whether a batch is stored and nobody is told

	mu      sync.Mutex
	stored  map[string]int // how often, but for those that are known again
	flying  atomic.Int32
	largest atomic.Int32
	alone   atomic.Int32
}

var errRefused = errors.New("refused")

func (s *fakeServer) put(ctx context.Context, m *nats.Msg) error {
	s.alone.Add(1)
	sleep(ctx, s.delays())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.refused[m.Subject] {
		return errRefused
	}
	s.keep(m)
	return nil
}

func (s *fakeServer) putAll(batch []*nats.Msg) error {
	if n := s.flying.Add(1); n > s.largest.Load() {
		s.largest.Store(n)
	}
	defer s.flying.Add(-1)
	time.Sleep(s.delays())
	for _, m := range batch {
		if s.refused[m.Subject] {
			return errRefused
		}
	}
	for _, m := range batch {
		s.keep(m)
	}
	if s.silent() {
		return context.DeadlineExceeded
	}
	return nil
}

func (s *fakeServer) keep(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored[m.Subject]++
}

func (s *fakeServer) has(subject string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored[subject] > 0
}

func TestBatcherTellsEachCallerWhatBecameOfItsMessage(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		callers := rapid.IntRange(1, 300).Draw(r, "callers")
		each := rapid.IntRange(1, 5).Draw(r, "messages of each")
		refusing := rapid.SampledFrom([]int{0, 0, 100, 10}).Draw(r, "one in so many is refused")
		mute := rapid.SampledFrom([]int{0, 0, 3}).Draw(r, "one batch in so many is not answered")
		hurried := rapid.SampledFrom([]int{0, 0, 5}).Draw(r, "one caller in so many gives up")
		patience := rapid.IntRange(0, 30).Draw(r, "after so many ms")
		longest := rapid.IntRange(1, 20).Draw(r, "ms of the slowest answer")

		synctest.Test(t, func(t *testing.T) {
			var turn, batches atomic.Uint32
			s := &fakeServer{
				refused: map[string]bool{}, stored: map[string]int{},
				delays: func() time.Duration {
					return time.Duration(int(turn.Add(2654435761)>>16)%longest+1) * time.Millisecond
				},
				silent: func() bool { return mute > 0 && int(batches.Add(1))%mute == 0 },
			}
			if refusing > 0 {
				for n := 0; n < callers*each; n += refusing {
					s.refused[strconv.Itoa(n)] = true
				}
			}
			b := &batcher{alone: s.put, batch: s.putAll}
			var all sync.WaitGroup
			for c := range callers {
				all.Go(func() {
					for k := range each {
						limit := time.Hour
						if hurried > 0 && c%hurried == 0 {
							limit = time.Duration(patience) * time.Millisecond
						}
						ctx, cancel := context.WithTimeout(t.Context(), limit)
						subject := strconv.Itoa(c*each + k)
						err := b.publish(ctx, nats.NewMsg(subject))
						switch {
						case err == nil && !s.has(subject):
							t.Errorf("message %s: nil, and it is not stored", subject)
						case errors.Is(err, errRefused) != s.refused[subject] && ctx.Err() == nil:
							t.Errorf("message %s: %v", subject, err)
						case err != nil && !s.refused[subject] && ctx.Err() == nil:
							t.Errorf("message %s: %v, though there was time", subject, err)
						}
						cancel()
					}
				})
			}
			all.Wait()
			synctest.Wait()
			time.Sleep(time.Minute) // batches that nobody waits for
			if b.singles != 0 || b.batches != 0 || len(b.waiting) != 0 {
				t.Errorf("left: %d alone, %d batches, %d waiting", b.singles, b.batches, len(b.waiting))
			}
			if n := s.largest.Load(); n > mostBatches {
				t.Errorf("%d batches at a time", n)
			}
		})
	})
}

// TestFewGoAlone: who is alone waits for nobody, and many do not go one by one.
func TestFewGoAlone(t *testing.T) {
	for _, c := range []struct{ callers, alone, batches int }{
		{1, 1, 0}, {mostSingles, mostSingles, 0}, {mostSingles + 1, mostSingles + 1, 0}, {10 * mostSingles, mostSingles, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			var batches atomic.Int32
			s := &fakeServer{stored: map[string]int{}, delays: func() time.Duration { return time.Second },
				silent: func() bool { batches.Add(1); return false }}
			b := &batcher{alone: s.put, batch: s.putAll}
			var all sync.WaitGroup
			for c := range c.callers {
				all.Go(func() {
					if err := b.publish(t.Context(), nats.NewMsg(strconv.Itoa(c))); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if s.alone.Load() != int32(c.alone) || batches.Load() < int32(c.batches) ||
				c.batches == 0 && batches.Load() > 0 {
				t.Errorf("%d callers: %d alone and %d batches, want %d and %d",
					c.callers, s.alone.Load(), batches.Load(), c.alone, c.batches)
			}
		})
	}
}

// Two messages of one condition are never in one batch, and all are stored.
func TestNoBatchHasOneConditionTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{
			stored: map[string]int{},
			delays: func() time.Duration { return time.Millisecond },
			silent: func() bool { return false },
		}
		var batches atomic.Int32
		b := batcher{alone: s.put, batch: func(list []*nats.Msg) error {
			batches.Add(1)
			seen := map[string]bool{}
			for _, m := range list {
				if of := m.Header.Get(headerExpectOf); of != "" && seen[of] {
					t.Errorf("a batch of %d has %s twice", len(list), of)
				} else {
					seen[of] = true
				}
			}
			return s.putAll(list)
		}}
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				m := nats.NewMsg(strconv.Itoa(i))
				if i%10 > 0 { // some have none
					expect(m, strconv.Itoa(i%100/10), 0)
				}
				if err := b.publish(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(s.stored) != 1000 || batches.Load() == 0 {
			t.Errorf("%d stored, %d batches", len(s.stored), batches.Load())
		}
	})
}
