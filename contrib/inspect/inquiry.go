package inspect

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/gate"
)

// inquiry is how the page asks a calendar, which may be the user's: it may panic, end its
// goroutine, or not answer. It is asked on a goroutine of its own, by one viewer at a time.
//
//	idle   -> asked   ask
//	asked  -> idle    it has answered
//	asked  -> silent  nobody waits for the answer any more
//	silent -> idle    it has answered after all; only then it is asked again
type inquiry struct {
	turn  chan struct{} // holds a token while it is asked
	state atomic.Int32
	title atomic.Pointer[title] // nil before it was asked for that
	walk  walk                  // whoever has the turn reads and writes it
}

const (
	idle = iota
	asked
	silent
)

func newInquiry() *inquiry { return &inquiry{turn: make(chan struct{}, 1)} }

const (
	// patience is how long an answer of a calendar is waited for.
	patience = 100 * time.Millisecond
	// patienceInAll is how long all calendars of a view are waited for.
	patienceInAll = 250 * time.Millisecond
	// mostSilent is how many calendars of a pool may hold a goroutine because they do not answer:
	// with so many no calendar is asked any more.
	mostSilent = 16
)

// What is said of a calendar that could not be asked.
const (
	saysNothing = "it has not answered within 100 ms"
	notAsked    = "not asked: other calendars take too long to answer"
	exits       = "it ends the goroutine that asks it"
)

// asker asks the calendars of one view.
type asker struct {
	until  time.Time     // when all patience is used up
	silent *atomic.Int32 // how many calendars of the pool are
}

func (s *seen) asker() *asker {
	return &asker{until: time.Now().Add(patienceInAll), silent: &s.silent}
}

// reply is what comes of a question: an answer, or what has gone wrong.
type reply[A any] struct {
	answer  A
	trouble string
}

// ask has a question answered that calls the calendar. It returns the answer, or what is wrong.
func ask[A any](a *asker, q *inquiry, question func() A) (answer A, trouble string) {
	left := min(time.Until(a.until), patience)
	switch {
	case q.state.Load() == silent:
		return answer, saysNothing
	case left <= 0, a.silent.Load() >= mostSilent:
		return answer, notAsked
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case q.turn <- struct{}{}:
	case <-timer.C: // another viewer asks
		return answer, saysNothing
	}
	q.state.Store(asked)
	replies := make(chan reply[A], 1)
	go answering(a, q, question, replies)
	var r reply[A]
	select {
	case r = <-replies:
	case <-timer.C:
		if q.state.CompareAndSwap(asked, silent) {
			a.silent.Add(1)
			return answer, saysNothing
		}
		r = <-replies
	}
	return r.answer, r.trouble
}

// answering asks a question, whatever becomes of that.
func answering[A any](a *asker, q *inquiry, question func() A, replies chan<- reply[A]) {
	r := reply[A]{trouble: exits}
	defer func() {
		if q.state.Swap(idle) == silent {
			a.silent.Add(-1)
		}
		<-q.turn
		replies <- r
	}()
	gate.Call(func() {
		answer := question()
		r = reply[A]{answer: answer}
	}, func(end *gate.End) {
		r.trouble = troubleOf(end)
	})
}

// troubleOf says how a calendar has failed.
func troubleOf(end *gate.End) string {
	if end.Exited() {
		return exits
	}
	return fmt.Sprintf("it panics: %v", end.Value)
}
