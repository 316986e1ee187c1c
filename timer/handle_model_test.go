package timer_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer"
)

// aHandle is a handle in the model of a timer. What the timer has queued for it are tasks without a
// Task, one for each time it was armed.
type aHandle struct {
	id      int // below 0, as those of tasks are not
	handle  timer.Handle
	lasting time.Duration
	latest  *modelled
}

// delay draws one that may be none, or endless.
func (m *timerModel) delay(t *rapid.T) (d, when time.Duration) {
	d = drawTicks(t, -2, 6, "delay")
	if rapid.IntRange(0, 9).Draw(t, "never") == 0 {
		return longest, longest
	}
	return d, m.now() + max(d, 0)
}

func (m *timerModel) afterFunc(t *rapid.T) {
	h := &aHandle{id: -1 - len(m.fs), lasting: drawTicks(t, 0, 2, "lasting")}
	m.fs = append(m.fs, h)
	d, when := m.delay(t)
	h.handle = m.timer.AfterFunc(d, func() {
		m.ran = append(m.ran, aModelRun{id: h.id, at: m.now()})
		time.Sleep(h.lasting)
	})
	m.arm(h, when)
}

// arm notes that h has been armed. A handle knows no planned time.
func (m *timerModel) arm(h *aHandle, when time.Duration) {
	h.latest = &modelled{id: h.id, when: when, lasting: h.lasting}
	if !m.over {
		m.enlist(h.latest)
	}
}

func (m *timerModel) someHandle(t *rapid.T) *aHandle {
	if len(m.fs) == 0 {
		t.Skip("no handle yet")
	}
	return m.fs[rapid.IntRange(0, len(m.fs)-1).Draw(t, "handle")]
}

// armed reports whether h waits for its time.
func (m *timerModel) armed(h *aHandle) bool {
	return !h.latest.cancelled && !h.latest.begun && !m.over
}

func (m *timerModel) stopHandle(t *rapid.T) {
	h := m.someHandle(t)
	want := m.armed(h)
	if got := h.handle.Stop(); got != want {
		t.Fatalf("Stop of handle %d = %v, want %v", h.id, got, want)
	}
	h.latest.cancelled = h.latest.cancelled || want
}

func (m *timerModel) reset(t *rapid.T) {
	h := m.someHandle(t)
	d, when := m.delay(t)
	want := m.armed(h)
	if got := h.handle.Reset(d); got != want {
		t.Fatalf("Reset of handle %d = %v, want %v", h.id, got, want)
	}
	h.latest.cancelled = h.latest.cancelled || want
	m.arm(h, when)
}

// checkHandles asks the handles whether it was the timer that kept them from running.
func (m *timerModel) checkHandles(t *rapid.T) {
	for _, h := range m.fs {
		var want error
		if m.over && !h.latest.cancelled && !h.latest.begun {
			want = timer.ErrClosed
		}
		if got := timer.Err(h.handle); got != want {
			t.Fatalf("Err of handle %d = %v, want %v", h.id, got, want)
		}
	}
}
