package inspect

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/internal/gate"
)

// answered is what a panel has answered to one query. The lock of the panel guards it.
//
//	new   -> asked   it is looked at
//	asked -> kept    it has answered, or failed: both are kept for a while
//	kept  -> asked   it is looked at, and it is too old, or from before an action
//	asked -> silent  patience is used up: nobody waits any more. What was told last is shown
//	silent -> kept   it has answered after all; only then it is asked again
type answered struct {
	view   *panelView // the last one; nil if there is none
	absent bool       // the last answer was that nothing is there
	era    int        // in which the last call began, of those that have ended

	trouble string    // of the last call; "" if it succeeded
	since   time.Time // when the first of those began that have failed since one succeeded

	until time.Time // the next call begins after that, unless there was an action
	call  *panelCall
	used  time.Time // when it was looked at last
}

// panelCall is a call of Read that is under way.
type panelCall struct {
	begun time.Time
	era   int
	ended chan struct{}
}

const (
	// readsWithin is how long a source may take to answer, and actsWithin to act.
	readsWithin = 5 * time.Second
	actsWithin  = 30 * time.Second
	// panelPatience is how long a view of a panel waits for the panel, if it has nothing recent to
	// show. The index waits for patienceInAll.
	panelPatience = time.Second
	// mostCalls is how many calls of a source may be under way at a time.
	mostCalls = 8
	// mostAnswers is to how many queries the answers are kept, each for forgetAfter if nobody
	// looks.
	mostAnswers = 64
	forgetAfter = time.Minute
	// costsAtMost is what part of its time a source spends for the page at most: one in so many.
	costsAtMost = 20
)

// What is said of a source that could not be asked.
const (
	stillAsked = "it has not answered yet"
	tooBusy    = "it has not answered other views yet, and is not asked for more"
)

// glance is what is known of a query at a moment.
type glance struct {
	view    *panelView // nil for none
	absent  bool       // nothing is there
	asking  bool       // nothing is known yet, and that is no trouble so far
	trouble string     // why there is nothing newer
	since   time.Time  // since when it is so
}

// look returns what is known. If that is nothing recent it waits until the call under way has
// lasted for as long as its patience: so a source that does not answer is waited for once.
func (h *hosted) look(at panel.Query, patience time.Duration) glance {
	for {
		h.mu.Lock()
		a := h.answerTo(at)
		call := h.ask(a, at)
		known := h.glance(a)
		left := time.Duration(0)
		if call != nil && !h.recent(a) && !h.failed(a) {
			left = patience - time.Since(call.begun)
		}
		h.mu.Unlock()
		if left <= 0 {
			return known
		}
		timer := time.NewTimer(left)
		select {
		case <-call.ended:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// answerTo finds the answer to a query, or begins one, with the lock held.
func (h *hosted) answerTo(at panel.Query) *answered {
	now := time.Now()
	if a := h.answers[at]; a != nil {
		a.used = now
		return a
	}
	var oldest panel.Query
	for q, a := range h.answers {
		switch eldest := h.answers[oldest]; {
		case a.call != nil:
		case now.Sub(a.used) > forgetAfter:
			delete(h.answers, q)
		case eldest == nil || eldest.call != nil || a.used.Before(eldest.used):
			oldest = q
		}
	}
	if len(h.answers) >= mostAnswers { // at most mostCalls of them are under way
		delete(h.answers, oldest)
	}
	a := &answered{used: now, era: -1}
	h.answers[at] = a
	return a
}

// ask has the source asked if it is time, with the lock held, and returns the call under way, if
// there is one.
func (h *hosted) ask(a *answered, at panel.Query) *panelCall {
	now := time.Now()
	if a.call == nil && h.asked < mostCalls && (a.era != h.era || !now.Before(a.until)) {
		a.call = &panelCall{begun: now, era: h.era, ended: make(chan struct{})}
		h.asked++
		go h.read(a, a.call, at)
	}
	return a.call
}

// recent reports whether what is known is good enough to be shown without waiting for more, with
// the lock held.
func (h *hosted) recent(a *answered) bool {
	return a.era == h.era && a.trouble == "" && time.Since(a.until) < 2*h.refresh
}

// failed reports whether the last call has failed, with the lock held: then the next one is not
// waited for.
func (h *hosted) failed(a *answered) bool { return a.era == h.era && a.trouble != "" }

// glance returns what is known, with the lock held.
func (h *hosted) glance(a *answered) glance {
	known := glance{view: a.view, absent: a.absent, trouble: a.trouble, since: a.since}
	switch {
	case known.trouble != "":
	case a.call != nil && time.Since(a.call.begun) >= readsWithin:
		known.trouble, known.since = stillAsked, a.call.begun
	case a.call == nil && a.era < 0:
		known.trouble = tooBusy
	default:
		known.asking = a.era < 0
	}
	return known
}

// outcome is what has come of a call.
type outcome struct {
	view    *panelView
	absent  bool
	trouble string
}

// read asks the source, whatever becomes of that.
func (h *hosted) read(a *answered, c *panelCall, at panel.Query) {
	ctx, cancel := context.WithTimeout(context.Background(), readsWithin)
	o := outcome{trouble: exits}
	defer func() {
		cancel()
		h.keep(a, c, o)
	}()
	gate.Call(func() {
		v, err := h.source.Read(ctx, at)
		o = h.outcome(ctx, at, v, err)
	}, func(end *gate.End) { o = outcome{trouble: h.told(troubleOf(end), shownError)} })
}

// outcome is that of a call that has returned. Methods of the error are the source's.
func (h *hosted) outcome(ctx context.Context, at panel.Query, v panel.View, err error) outcome {
	switch {
	case err == nil:
		return outcome{view: h.newView(at, v)}
	case matches(err, panel.ErrNotFound):
		return outcome{absent: true}
	case ctx.Err() != nil && matches(err, context.DeadlineExceeded):
		return outcome{trouble: "it has not answered within " + span(readsWithin).String() + ": " +
			h.told(errorText(err), shownError)}
	}
	return outcome{trouble: h.told(errorText(err), shownError)}
}

// keep keeps what has come of a call.
func (h *hosted) keep(a *answered, c *panelCall, o outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(c.ended)
	now := time.Now()
	took := now.Sub(c.begun)
	a.call, a.era = nil, c.era
	h.asked, h.ended = h.asked-1, h.ended+1
	if o.trouble != "" {
		if a.trouble == "" {
			a.since = c.begun
		}
		a.trouble, a.until = o.trouble, now.Add(max(h.refresh, 2*took))
		return
	}
	if a.view, a.absent = o.view, o.absent; a.view != nil {
		a.view.At = c.begun
	}
	a.trouble, a.since = "", time.Time{}
	a.until = now.Add(max(h.refresh, costsAtMost*took))
}
