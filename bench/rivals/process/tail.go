package process

import (
	"strings"
	"sync"
)

// tailSize is enough for the first goroutine of a panic, or an exception with its cause.
const tailSize = 2 << 10

// tail keeps the last of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
	cut bool // there was more
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	if over := len(t.end) - tailSize; over > 0 {
		t.end, t.cut = append(t.end[:0], t.end[over:]...), true
	}
	return len(p), nil
}

// quote returns it as something to put behind an error.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.end), ""))
	switch {
	case text == "":
		return ""
	case t.cut:
		return "; it said last:\n…" + text
	default:
		return "; it said:\n" + text
	}
}
