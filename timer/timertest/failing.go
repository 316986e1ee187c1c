package timertest

import (
	"bytes"
	"errors"
	"log"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// failing is the family of checks of functions that panic or end their goroutine.
type failing struct{ *trial }

func (failing) checks() []check {
	return []check{
		{
			"a panic or Goexit is told once, with its stack",
			of(failing.panicTold), []need{panics(Recovers)},
		},
		{
			"a panic that nobody is told is logged",
			of(failing.panicLogged), []need{panics(Recovers)},
		},
		{
			"a panic harms no other function",
			of(failing.panicHarmless), []need{panics(Recovers, Survives)},
		},
		{
			"a function that panics can be reset",
			of(failing.panicReset), []need{panics(Recovers, Survives)},
		},
		{
			"a panic gives back its place within the limit",
			of(failing.panicRoom), []need{panics(Recovers, Survives), limited()},
		},
		{
			"a Goexit harms no other function",
			of(failing.goexitHarmless), []need{panics(Recovers, Survives, EndsProgram)},
		},
		{
			"a panic stops the facility, which tells the cause",
			of(failing.panicDeadly), []need{panics(Dies)},
		},
		{"a Goexit stops the facility", of(failing.goexitDeadly), []need{panics(Dies)}},
		{
			"a panic ends the program",
			of(subprocess.panicEndsProgram), []need{panics(EndsProgram), children()},
		},
	}
}

// witness records what OnPanic was called with.
type witness struct {
	mu     sync.Mutex
	values []any
	stacks []string
}

func (w *witness) told(value any, stack []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.values = append(w.values, value)
	w.stacks = append(w.stacks, string(stack))
}

// misstep is what functions of the suite panic with. The stack must then name culprit.
const misstep = "timertest: a panic on purpose"

func culprit(*probe) { panic(misstep) }

// harness returns the Configs under which failures are tried: without an Executor and, if possible,
// with one. All report to w.
func (c failing) harness(w *witness) []timer.Config {
	own, serial := timer.Config{OnPanic: w.told}, c.serial()
	serial.OnPanic = w.told
	return []timer.Config{own, serial}
}

func (c failing) panicTold() {
	for i := range 2 {
		c.bubble(func() {
			var w witness
			s := c.make(c.harness(&w)[i])
			c.armThen(s, time.Second, culprit)
			c.pass(time.Second)
			c.armThen(s, time.Second, func(*probe) { panic(errOnPurpose) })
			c.pass(time.Second)
			c.armThen(s, time.Second, func(*probe) { panic(nil) })
			c.pass(time.Second)
			c.armThen(s, time.Second, func(*probe) { runtime.Goexit() })
			c.pass(day)
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.values) != 4 || w.values[0] != misstep || w.values[1] != errOnPurpose ||
				!isNilPanic(w.values[2]) || w.values[3] != timer.ErrGoexit {
				c.errorf("OnPanic has been told %v, want three panics and a Goexit", w.values)
				return
			}
			if !strings.Contains(w.stacks[0], "culprit") {
				c.errorf("OnPanic has been told a stack without the function that panicked: %q",
					w.stacks[0])
			}
		})
	}
}

func isNilPanic(value any) bool {
	_, ok := value.(*runtime.PanicNilError)
	return ok
}

var errOnPurpose = errors.New("timertest: an error on purpose")

// panicLogged replaces the default logger of the program while it runs, and reads what was logged.
func (c failing) panicLogged() {
	var written bytes.Buffer
	before, out, flags := slog.Default(), log.Writer(), log.Flags()
	defer func() {
		slog.SetDefault(before)
		log.SetOutput(out) // which SetDefault does not restore
		log.SetFlags(flags)
	}()
	slog.SetDefault(slog.New(slog.NewTextHandler(&written, nil)))
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.armThen(s, time.Second, culprit)
		c.pass(time.Second)
		next := c.arm(s, time.Second)
		c.pass(time.Second)
		next.onTime(1, "after a panic that is logged")
	})
	if !strings.Contains(written.String(), misstep) {
		c.errorf("the log does not tell of a panic: %q", written.String())
	}
}

func (c failing) panicHarmless()  { c.harmless(culprit) }
func (c failing) goexitHarmless() { c.harmless(func(*probe) { runtime.Goexit() }) }

// harmless makes functions fail among others that are due before, with and after them.
func (c failing) harmless(fail func(*probe)) {
	for i := range 2 {
		c.bubble(func() {
			var w witness
			s := c.make(c.harness(&w)[i])
			var others, failed []*probe
			for _, d := range []time.Duration{1, time.Second, time.Second, time.Minute, day} {
				others = append(others, c.arm(s, d))
				failed = append(failed, c.armThen(s, d, fail))
				others = append(others, c.arm(s, d))
			}
			c.pass(day)
			for _, p := range append(others, failed...) {
				p.onTime(1, "beside functions that fail")
			}
			for _, p := range failed {
				c.answers("Stop of a function that has failed", p.stop(), false)
				if err := p.err(); err != nil {
					c.errorf("Err of a function that has been called and failed is %v, want nil",
						err)
				}
			}
			next := c.arm(s, c.turn()+1)
			c.pass(c.turn() + 1)
			next.onTime(1, "after functions that have failed")
		})
	}
}

func (c failing) panicReset() {
	c.bubble(func() {
		var w witness
		p := c.armThen(c.make(c.harness(&w)[1]), time.Second, culprit)
		c.pass(time.Second)
		c.answers("Reset of a function that has failed", p.reset(time.Minute), false)
		c.pass(time.Minute)
		p.onTime(2, "reset after it failed")
	})
}

func (c failing) panicRoom() {
	for i := range 2 {
		c.bubble(func() {
			var w witness
			cfg := c.harness(&w)[i]
			cfg.PendingLimit = 2
			s := c.room(cfg)
			c.armThen(s, time.Second, culprit)
			c.armThen(s, time.Second, func(*probe) { runtime.Goexit() })
			c.pass(time.Second)
			s.fill(2, time.Hour, "after two functions have failed")
		})
	}
}

func (c failing) panicDeadly()  { c.deadly(culprit, misstep) }
func (c failing) goexitDeadly() { c.deadly(func(*probe) { runtime.Goexit() }, "") }

// deadly makes one function fail while another is pending.
func (c failing) deadly(fail func(*probe), cause string) {
	c.bubble(func() {
		s := c.make(timer.Config{})
		before := c.arm(s, time.Second)
		c.armThen(s, time.Minute, fail)
		pending := c.arm(s, time.Hour)
		c.pass(time.Minute)
		fresh := c.arm(s, time.Second)
		c.pass(day)
		before.onTime(1, "before the facility died")
		for _, p := range []*probe{pending, fresh} {
			p.hasRun(0, "after the facility has died")
			p.refused("after the facility has died", timer.ErrClosed)
		}
		if err := fresh.err(); err != nil && !strings.Contains(err.Error(), cause) {
			c.errorf("Err of what a dead facility has refused is %q, want the cause, %q, in it",
				err, cause)
		}
	})
}
