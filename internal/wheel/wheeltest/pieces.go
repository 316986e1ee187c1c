package wheeltest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// Between wraps a dial and lets others use the wheel between two pieces of Expire: until they are
// done it says that there is more to do, and does nothing.
type Between struct {
	wheel.Dial
	Meddle func(piece int) // called without the lock, on a goroutine of its own

	pieces int
	hand   int64
	busy   atomic.Bool
}

// Expire implements [wheel.Dial].
func (b *Between) Expire(tick, now int64, due func(*wheel.Timer)) (hand int64, more bool) {
	if b.busy.Load() {
		return b.hand, true
	}
	b.hand, more = b.Dial.Expire(tick, now, due)
	if more && b.Meddle != nil && b.pieces < meddlings {
		b.pieces++
		b.busy.Store(true)
		go func() {
			defer b.busy.Store(false)
			b.Meddle(b.pieces)
		}()
	}
	return b.hand, more
}

// Validate validates the wrapped dial.
func (b *Between) Validate(hand int64) ([]*wheel.Timer, error) {
	return b.Dial.(interface {
		Validate(hand int64) ([]*wheel.Timer, error)
	}).Validate(hand)
}

const (
	pieceSlots = 8
	meddlings  = 6 // per test, so that functions are not armed anew for ever
)

// fate is one function of a test in pieces.
type fate struct {
	handle timer.Handle
	tick   time.Duration // at which it must begin, as a number of ticks; 0 if stopped
	began  time.Duration // when it last began
	runs   int           // since it was last armed
}

func (f *fate) armed() bool { return f.tick != 0 && f.runs == 0 }

// crowd is a wheel with more functions due at once than Expire looks at in one piece.
type crowd struct {
	t     *testing.T
	wheel *wheel.Wheel
	start time.Time

	mu  sync.Mutex // held by the test while it arms, and by whoever meddles
	all []*fate
}

// Pieces arms, stops and resets functions, and closes the wheel, while a dial with 8 slots is
// between two pieces of a tick, and demands that each function begins when it should.
func Pieces(
	t *testing.T, make func(c timer.Config, wrap func(wheel.Dial) wheel.Dial) *wheel.Wheel,
) {
	for name, meddle := range map[string]func(c *crowd, piece int){
		"nobody else":     nil,
		"arming":          (*crowd).more,
		"stopping":        (*crowd).stopSome,
		"stopping all":    (*crowd).stopAll,
		"to the next":     (*crowd).toTheNextTurn,
		"arming anew":     (*crowd).stopAllAndArm,
		"a bit of it all": (*crowd).anything,
		"closing":         (*crowd).end,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &crowd{t: t, start: time.Now()}
				between := &Between{}
				if meddle != nil {
					between.Meddle = func(piece int) {
						c.mu.Lock()
						defer c.mu.Unlock()
						meddle(c, piece)
					}
				}
				cfg := timer.Config{Tick: tick, Slots: pieceSlots, Executor: Inline}
				c.wheel = make(cfg, func(d wheel.Dial) wheel.Dial {
					between.Dial = d
					return between
				})
				c.run()
				if meddle != nil {
					require.Positive(t, between.pieces, "the tick was too little work")
				}
			})
		})
	}
}

// run fills a slot with functions of three turns, mixed, and lets time pass.
func (c *crowd) run() {
	c.mu.Lock()
	for i := range 9 * wheel.Piece / 2 {
		c.arm(time.Duration(1 + pieceSlots*(i%3)*(i%2)))
	}
	c.mu.Unlock()
	time.Sleep(100 * pieceSlots * tick)
	synctest.Wait()
	for i, f := range c.all {
		want := 1
		if f.tick == 0 {
			want = 0
		}
		require.Equal(c.t, want, f.runs, "runs of %d, due at tick %d", i, f.tick)
		require.Equal(c.t, f.tick*tick*time.Duration(want), f.began*time.Duration(want),
			"begin of %d", i)
	}
	require.Zero(c.t, c.wheel.Armed())
	require.NoError(c.t, c.wheel.Validate())
}

// arm arms a function for a number of ticks from now, or for now.
func (c *crowd) arm(ticks time.Duration) {
	f := &fate{tick: c.after(ticks)}
	c.all = append(c.all, f)
	f.handle = c.wheel.AfterFunc(ticks*tick, func() {
		f.runs++
		f.began = time.Since(c.start)
	})
}

func (c *crowd) after(ticks time.Duration) time.Duration { return time.Since(c.start)/tick + ticks }

func (c *crowd) stop(f *fate) {
	armed := f.armed()
	if f.handle.Stop() != armed {
		c.t.Errorf("Stop of a function is %v, want %v", !armed, armed)
	}
	if armed {
		f.tick = 0
	}
}

func (c *crowd) reset(f *fate, ticks time.Duration) {
	if was := f.armed(); f.handle.Reset(ticks*tick) != was {
		c.t.Errorf("Reset of a function is %v, want %v", !was, was)
	}
	f.tick, f.runs = c.after(ticks), 0
}

func (c *crowd) more(int) {
	for i := range 300 {
		c.arm(time.Duration(i % (3 * pieceSlots)))
	}
}

func (c *crowd) stopSome(piece int) {
	for i := piece; i < len(c.all); i += 7 {
		c.stop(c.all[i])
	}
}

func (c *crowd) stopAll(int) {
	for _, f := range c.all {
		c.stop(f)
	}
}

// toTheNextTurn moves functions into the slot that is being emptied.
func (c *crowd) toTheNextTurn(piece int) {
	for i := piece; i < len(c.all); i += 5 {
		c.reset(c.all[i], pieceSlots)
	}
}

func (c *crowd) stopAllAndArm(piece int) {
	c.stopAll(piece)
	c.more(piece)
	for range 2 * wheel.Piece / piece {
		c.arm(pieceSlots)
	}
}

func (c *crowd) anything(piece int) {
	rng := rand.New(rand.NewPCG(uint64(piece), 1))
	for range 2000 {
		f := c.all[rng.IntN(len(c.all))]
		switch rng.IntN(3) {
		case 0:
			c.stop(f)
		case 1:
			c.reset(f, time.Duration(rng.IntN(3*pieceSlots)))
		default:
			c.arm(time.Duration(rng.IntN(3 * pieceSlots)))
		}
	}
}

// end closes the wheel. What the dial has given out already runs.
func (c *crowd) end(int) {
	returned := map[timer.Handle]bool{}
	for _, h := range c.wheel.Close(nil) {
		returned[h] = true
	}
	for _, f := range c.all {
		if returned[f.handle] {
			f.tick = 0
		}
	}
}
