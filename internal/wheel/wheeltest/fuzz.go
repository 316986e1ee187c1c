package wheeltest

import (
	"encoding/binary"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// longest is how much time may pass in a bubble: some 150 of the 262 years that its clock has.
const longest = 1<<62 + 1<<58

// Step is one thing that a fuzz target does. Amount is a number of nanoseconds, or for Halt and
// Again also selects the function.
type Step struct {
	Kind   byte
	Amount int64
}

// The kinds of steps.
const (
	Sleep byte = iota // let time pass
	Arm               // arm a new function
	Halt              // stop one armed before
	Again             // reset one armed before
	kinds
)

// Script encodes steps as the input of a fuzz target, for a wheel with the given tick and slots.
func Script(tick uint16, slots byte, steps ...Step) []byte {
	data := append(binary.BigEndian.AppendUint16(nil, tick), slots)
	for _, s := range steps {
		data = binary.BigEndian.AppendUint64(append(data, s.Kind), uint64(s.Amount))
	}
	return data
}

// Seeds returns scripts with numbers at which arithmetic tends to go wrong.
func Seeds() (scripts [][]byte) {
	for _, n := range []int64{1 << 31, 1 << 32, 1 << 62, math.MaxInt64} {
		for _, tick := range []uint16{1, 7, 1000} {
			var steps []Step
			for d := int64(-2); d <= min(2, math.MaxInt64-n); d++ {
				steps = append(steps, Step{Arm, n + d},
					Step{Arm, (n + d) / int64(tick) * int64(tick)})
			}
			steps = append(steps,
				Step{Sleep, n - 1}, Step{Arm, 1}, Step{Arm, 9}, Step{Sleep, 1}, Step{Arm, n},
				Step{Again, 3}, Step{Halt, 1}, Step{Arm, 0}, Step{Sleep, 8}, Step{Again, n / 2})
			scripts = append(scripts, Script(tick, 7, steps...), Script(tick, 0, steps...),
				Script(tick, 200, steps...))
		}
	}
	return append(scripts,
		Script(1, 2, Step{Arm, 2}, Step{Arm, 4}, Step{Halt, 0},
			Step{Sleep, 1}, Step{Arm, 1}, Step{Sleep, 5}),
		Script(0, 63, Step{Arm, math.MinInt64}, Step{Sleep, math.MaxInt64},
			Step{Arm, 1}, Step{Sleep, math.MaxInt64}))
}

// planned is one function of a script.
type planned struct {
	handle timer.Handle
	at     int64 // when it must begin, or stopped
	begun  int64 // when it has begun, or -1
}

func (p *planned) armed() bool { return p.at != stopped && p.begun < 0 }

const (
	stopped int64 = -1
	never         = math.MaxInt64
)

// script is one input being played.
type script struct {
	t     *testing.T
	wheel Wheel
	start time.Time
	tick  int64
	all   []*planned
}

// Fuzz plays scripts and demands that every function begins at its tick, and that the wheel is
// valid after every step. The wheel has at least least slots.
func Fuzz(f *testing.F, least int, make func(timer.Config) Wheel) {
	for _, s := range Seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 3 || len(data) > 600 {
			t.Skip("too short or too long")
		}
		synctest.Test(t, func(t *testing.T) {
			tick := int64(binary.BigEndian.Uint16(data)) + 1
			slots := max(least, int(data[2]))
			s := &script{t: t, start: time.Now(), tick: tick}
			s.wheel = make(timer.Config{Tick: time.Duration(tick), Slots: slots, Executor: Inline})
			for data = data[3:]; len(data) >= 9; data = data[9:] {
				s.step(Step{data[0] % kinds, int64(binary.BigEndian.Uint64(data[1:]))})
			}
			s.wheel.Close()
			require.Zero(t, s.wheel.Armed())
		})
	})
}

func (s *script) now() int64 { return int64(time.Since(s.start)) }

// due returns when a function armed now with the delay d must begin.
func (s *script) due(d int64) int64 {
	now := s.now()
	if d <= 0 {
		return now
	}
	if d > never-now {
		return never
	}
	ticks := (now+d-1)/s.tick + 1
	if ticks > never/s.tick {
		return never
	}
	return ticks * s.tick
}

func (s *script) step(step Step) {
	switch step.Kind {
	case Sleep:
		if d := step.Amount; d > 0 {
			time.Sleep(time.Duration(min(d, longest-s.now())))
		}
	case Arm:
		p := &planned{at: s.due(step.Amount), begun: -1}
		s.all = append(s.all, p)
		p.handle = s.wheel.AfterFunc(time.Duration(step.Amount), func() { p.begun = s.now() })
	case Halt:
		if p := s.one(step.Amount); p != nil {
			require.Equal(s.t, p.armed(), p.handle.Stop())
			if p.armed() {
				p.at = stopped
			}
		}
	case Again:
		if p := s.one(step.Amount); p != nil {
			was := p.armed()
			p.at, p.begun = s.due(step.Amount), -1 // before it begins anew
			require.Equal(s.t, was, p.handle.Reset(time.Duration(step.Amount)))
		}
	}
	s.check(step)
}

func (s *script) one(n int64) *planned {
	if len(s.all) == 0 {
		return nil
	}
	return s.all[uint64(n)%uint64(len(s.all))]
}

func (s *script) check(step Step) {
	synctest.Wait()
	armed := 0
	for i, p := range s.all {
		want := int64(-1)
		switch {
		case p.at == stopped:
		case p.at <= s.now():
			want = p.at
		default:
			armed++
		}
		require.Equal(s.t, want, p.begun, "after %v: begin of %d, due at %d", step, i, p.at)
	}
	require.Equal(s.t, armed, s.wheel.Armed())
	require.NoError(s.t, s.wheel.Validate())
}
