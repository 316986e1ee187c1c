package inspect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/internal/gate"
)

var plainVerb = regexp.MustCompile(`^[a-z][a-z-]{0,31}$`)

// What is said of an action whose end is not known.
var (
	errUnanswered = errors.New("the panel has not answered within " + span(actsWithin).String() +
		": it may have been done, or be done yet")
	errTooBusy = errors.New("the panel has not answered other actions yet")
)

// acted is what has come of an action.
type acted struct {
	done bool
	err  error
}

// actOnPanel has a panel do what a form asks for, which has passed the gate.
func (p *Page) actOnPanel(w http.ResponseWriter, r *http.Request, h *hosted, at panel.Query) {
	c := panel.Command{List: at.List, ID: at.ID, Verb: r.PostForm.Get("do"),
		Version: r.Form.Get("version")}
	if at.List == "" || !plainVerb.MatchString(c.Verb) {
		p.refuse(w, r, http.StatusBadRequest, "this can't be done here")
		return
	}
	done, err := h.act(r.Context(), c)
	if err != nil {
		p.refuse(w, r, codeOf(err), readable(h.told(errorText(err), shownError), shownError))
		return
	}
	p.log().LogAttrs(r.Context(), slog.LevelInfo, "inspect: action", append(who(r),
		slog.String("panel", label(h.about.Name)), slog.String("list", c.List),
		slog.String("id", label(c.ID)), slog.String("do", c.Verb), slog.Bool("done", done))...)
	p.forget()
	to, verb := "did", c.Verb
	if !done {
		to = "undone"
	}
	if verbs[verb] == "" {
		verb = "done"
	}
	path := h.pathOf(panel.Ref{List: at.List, ID: at.ID})
	w.Header().Set("Location", base(path)+h.back(r.Form, at)+to+"="+verb)
	w.WriteHeader(http.StatusSeeOther)
}

// codeOf is the status that tells how an action has failed.
func codeOf(err error) int {
	switch {
	case matches(err, panel.ErrNotFound):
		return http.StatusNotFound
	case matches(err, panel.ErrStale):
		return http.StatusConflict
	case matches(err, panel.ErrDenied):
		return http.StatusForbidden
	case err == errTooBusy:
		return http.StatusServiceUnavailable
	case err == errUnanswered, matches(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}

// act has the source act, and waits for that until it is time to give up.
func (h *hosted) act(ctx context.Context, c panel.Command) (done bool, err error) {
	h.mu.Lock()
	busy := h.acting >= mostCalls
	if !busy {
		h.acting++
	}
	h.mu.Unlock()
	if busy {
		return false, errTooBusy
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), actsWithin)
	ended := make(chan acted, 1)
	go h.acts(ctx, cancel, c, ended)
	timer := time.NewTimer(actsWithin + time.Second) // who heeds the context has the first word
	defer timer.Stop()
	select {
	case a := <-ended:
		return a.done, a.err
	case <-timer.C:
		return false, errUnanswered
	}
}

// acts calls the source, whatever becomes of that.
func (h *hosted) acts(ctx context.Context, cancel func(), c panel.Command, ended chan<- acted) {
	a := acted{err: errors.New("the panel ends the goroutine that calls it")}
	defer func() {
		cancel()
		h.mu.Lock()
		h.acting--
		h.era++ // what was read before may be otherwise now, also if it says that it has failed
		h.mu.Unlock()
		ended <- a
	}()
	gate.Call(func() {
		done, err := h.source.Act(ctx, c)
		a = acted{done, err}
	}, func(end *gate.End) {
		if !end.Exited() {
			a.err = errors.New("the panel: " + troubleOf(end))
		}
	})
}

// back returns where an action leads, ready for one more value: to the view of the panel that the
// form names, or to that of the thing; to the list if the thing has vanished.
func (h *hosted) back(form url.Values, at panel.Query) string {
	thing := h.pathOf(panel.Ref{List: at.List, ID: at.ID})
	u, err := url.Parse(form.Get("back"))
	if err != nil || u.Host != "" || u.Scheme != "" {
		u = &url.URL{Path: thing}
	} else if _, _, ok := hostedAt([]*hosted{h}, u.Path, query{}); !ok {
		u = &url.URL{Path: thing}
	}
	if form.Has("gone") && u.Path == thing {
		u = &url.URL{Path: h.pathOf(panel.Ref{List: at.List})}
	}
	if q := newQuery(u.Query()).String(); q != "" {
		return u.Path + q + "&"
	}
	return u.Path + "?"
}
