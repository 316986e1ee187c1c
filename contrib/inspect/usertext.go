package inspect

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/gate"
)

// userText is a function of the user's that makes a text of another, whatever it does.
type userText struct {
	f    func(string) string
	hung atomic.Int32 // calls that have not returned in time, and not since
	rest atomic.Int64 // Unix time in nanoseconds, until which it is not called, for it was slow
}

const (
	// textPatience is for how long texts are waited for that are asked for together.
	textPatience = 500 * time.Millisecond
	// textRest is for how long a function is not called that has not returned in time: a view asks
	// for many texts.
	textRest = time.Second
	// mostHung is how many calls may hang before the function is called no more.
	mostHung = 4
)

// all returns what the function makes of each text; failed instead if it panics, ends its goroutine
// or does not return in time.
func (u *userText) all(texts []string, failed string) []string {
	made := slices.Repeat([]string{failed}, len(texts))
	if u.hung.Load() >= mostHung || time.Now().UnixNano() < u.rest.Load() {
		return made
	}
	var mu sync.Mutex // of made
	over := make(chan struct{})
	late := false
	go func() {
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			if late {
				u.hung.Add(-1)
			}
			close(over)
		}()
		for i, text := range texts {
			u.one(text, func(answer string) {
				mu.Lock()
				defer mu.Unlock()
				if !late {
					made[i] = answer
				}
			})
		}
	}()
	timer := time.NewTimer(textPatience)
	defer timer.Stop()
	select {
	case <-over:
		return made
	case <-timer.C:
	}
	mu.Lock()
	defer mu.Unlock()
	select {
	case <-over: // meanwhile
	default:
		late = true
		u.hung.Add(1)
		u.rest.Store(time.Now().Add(textRest).UnixNano())
	}
	return made
}

// one tells what the function makes of a text, if it returns.
func (u *userText) one(text string, tell func(string)) {
	answer, ok := "", true
	gate.Call(func() { answer = u.f(text) }, func(*gate.End) { ok = false })
	if ok {
		tell(answer)
	}
}
