package inspect

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// verbs are what can be done, and what is said when it has been done.
var verbs = map[string]string{
	"pause":   "Paused.",
	"resume":  "Resumed.",
	"suspend": "Suspended.",
	"trigger": "Asked to run now.",
	"reset":   "The next run has been moved.",
	"cancel":  "Cancelled.",
	"restart": "Started again.",
	"stack":   "Its stack is below.",
	"redrive": "Queued again.",
	"discard": "Discarded.",
	"done":    "Done.", // any other verb of a panel
}

// overrides are the ways in which other systems let a GET stand for another method. None is known
// here; who tries is told.
var overrides = []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"}

// demandsAction reports whether a request that may change nothing asks for a change.
func demandsAction(r *http.Request) bool {
	for _, h := range overrides {
		if r.Header.Get(h) != "" {
			return true
		}
	}
	values := r.URL.Query()
	return values.Has("do") || values.Has("_method")
}

// mayAct reports whether whoever sends the request may change something.
func (p *Page) mayAct(r *http.Request) bool { return p.authorize != nil && p.authorize(r) }

// refuse answers that nothing is done, and tells it in the log.
func (p *Page) refuse(w http.ResponseWriter, r *http.Request, code int, why string) {
	p.log().LogAttrs(r.Context(), slog.LevelWarn, "inspect: action refused",
		append(who(r), slog.String("why", why))...)
	if code == http.StatusMethodNotAllowed {
		allow := "GET, HEAD"
		if p.authorize != nil {
			allow += ", POST"
		}
		w.Header().Set("Allow", allow)
	}
	http.Error(w, why, code)
}

// who returns for the log who asks for what. Names are those of the request, so they are made
// readable and are cut.
func who(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("method", label(r.Method)),
		slog.String("path", label(r.URL.Path)), slog.String("remote", r.RemoteAddr),
		slog.String("origin", label(r.Header.Get("Origin")))}
	if user := userOf(r); user != "" {
		attrs = append(attrs, slog.String("user", user))
	}
	return attrs
}

// mostBody is the longest form that is read, in bytes.
const mostBody = 16 << 10

// serveAction does what a form asks for, and leads back to the view from which it came.
func (p *Page) serveAction(w http.ResponseWriter, r *http.Request, path string) {
	for _, h := range overrides {
		if r.Header.Get(h) != "" {
			p.refuse(w, r, http.StatusMethodNotAllowed, "the method can't be overridden")
			return
		}
	}
	if p.authorize == nil {
		p.refuse(w, r, http.StatusMethodNotAllowed, "the page changes nothing")
		return
	}
	if err := p.guard.Check(r); err != nil {
		p.refuse(w, r, http.StatusForbidden, "the request comes from elsewhere")
		return
	}
	if !p.authorize(r) {
		p.refuse(w, r, http.StatusForbidden, "not authorized")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		p.refuse(w, r, http.StatusBadRequest, "the form can't be read")
		return
	}
	if !tokenMatches(r) {
		p.refuse(w, r, http.StatusForbidden, "the token is missing or another one: load the page again")
		return
	}
	r = p.withUser(r)
	if list, of, step, ok := p.manyStep(path); ok {
		p.serveMany(w, r, list, of, step)
		return
	}
	if h, at, ok := hostedAt(p.panels, path, query{}); ok {
		p.actOnPanel(w, r, h, at)
		return
	}
	p.act(w, r, path)
}

// act does it.
func (p *Page) act(w http.ResponseWriter, r *http.Request, path string) {
	verb := r.PostForm.Get("do")
	target, ok := p.target(path)
	if !ok {
		p.refuse(w, r, http.StatusNotFound, "nothing is here, or not any more")
		return
	}
	if r.Form.Get("task") != target.task {
		p.refuse(w, r, http.StatusConflict, "another task has this address by now: load the page again")
		return
	}
	do := target.can[verb]
	if do == nil {
		p.refuse(w, r, http.StatusBadRequest, "this can't be done here")
		return
	}
	if r.Form.Has("run") { // it stands in the address of a button
		r.PostForm.Set("run", r.Form.Get("run"))
	}
	done, err := do(r.PostForm)
	switch {
	case errors.Is(err, errTooSoon):
		p.refuse(w, r, http.StatusTooManyRequests, err.Error())
		return
	case err != nil:
		p.refuse(w, r, http.StatusBadRequest, readable(p.redactor.shown(errorText(err)), shownError))
		return
	}
	d := target.deed
	d.verb = verb
	p.told(r, d, target.name, done)
	p.forget()
	to := "did"
	if !done {
		to = "undone"
	}
	w.Header().Set("Location", base(path)+back(r.PostForm, path, verb)+to+"="+verb)
	w.WriteHeader(http.StatusSeeOther)
}

// told tells an action in the log, and remembers it if it has changed something.
func (p *Page) told(r *http.Request, d deed, name []slog.Attr, done bool) {
	if done && participles[d.verb] != "" {
		d.at, d.by = time.Now(), userOf(r)
		p.deeds.add(d)
	}
	p.log().LogAttrs(r.Context(), slog.LevelInfo, "inspect: action", append(who(r),
		append(name, slog.String("do", d.verb), slog.Bool("done", done))...)...)
}

// forget has the next viewer see what has just been done.
func (p *Page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = true
}

// action does something, and reports whether that has changed anything.
type action func(form url.Values) (done bool, err error)

// target is what an action is done to.
type target struct {
	can  map[string]action
	name []slog.Attr // for the log
	task string      // its identity, if it is a task
	deed deed        // to be remembered
}

// target returns what is at a path, or false if nothing can be done there.
func (p *Page) target(path string) (t target, ok bool) {
	for _, src := range p.sources {
		rest, found := strings.CutPrefix(path, src.path())
		if !found {
			continue
		}
		t.name = []slog.Attr{slog.String("pool", label(src.name))}
		t.deed = deed{of: src}
		id, isTask := strings.CutPrefix(rest, "task/")
		switch {
		case rest == "" && src.kind == aPool:
			t.can = poolActions(src.pool)
			t.can["stack"] = p.takes(src)
		case rest == "" && src.kind == aLoop:
			t.name[0].Key = "loop"
			t.can = map[string]action{"stack": p.takes(src)}
		case rest == "" && src.kind == aSupervisor:
			t.name[0].Key = "supervisor"
			t.can = supervisorActions(src)
		case isTask && src.kind == aPool:
			if e := p.entry(src, id); e != nil {
				t.can, t.task = taskActions(e.handle), identity(p.born, e.serial)
				t.can["stack"] = p.takes(src)
				t.name = append(t.name, slog.String("task", label(e.name)))
				t.deed.task, t.deed.serial = e.name, e.serial
			}
		case strings.HasPrefix(rest, "ended/") && src.jobs != nil:
			if d, ok := src.dead(strings.TrimPrefix(rest, "ended/")); ok {
				t.can = map[string]action{"restart": restarts(src.jobs, d.Name)}
				t.name = append(t.name, slog.String("task", label(d.Name)))
				t.deed.task = d.Name
			}
		}
	}
	return t, t.can != nil
}

// identity tells a task from those that get its address later, also in another process.
func identity(born string, serial uint64) string {
	return born + "." + strconv.FormatUint(serial, 36)
}

func (p *Page) entry(src *source, id string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	src.tasks.update(src.pool.Series())
	return src.tasks.byID[id]
}

func poolActions(pool *executor.Pool) map[string]action {
	return map[string]action{
		"pause": func(url.Values) (bool, error) {
			// A pool that was paused until some time is so without an end now.
			pool.Pause() // without an end, also if it was paused until some time
			after := pool.Stats()
			return after.Paused && after.State == "running", nil
		},
		"resume": func(url.Values) (bool, error) { return pool.Resume(), nil },
	}
}

// supervisorActions tell of a change wherever there may be one: whether a supervisor that is
// running is to be suspended afterwards can't be seen.
func supervisorActions(src *source) map[string]action {
	do := func(f func(), in ...string) action { // does nothing in these states
		return func(url.Values) (bool, error) {
			before := src.supervisor.Stats().State
			f()
			return !slices.Contains(in, before), nil
		}
	}
	s := src.supervisor
	return map[string]action{
		"suspend": do(s.Suspend, "stopped", "suspended"),
		"resume":  do(s.Resume, "stopped", "waiting"),
		"trigger": do(s.Trigger, "stopped"),
	}
}

func taskActions(h executor.Handle) map[string]action {
	do := func(f func() bool) action {
		return func(url.Values) (bool, error) { return f(), nil }
	}
	return map[string]action{"pause": do(h.Pause), "resume": do(h.Resume), "trigger": do(h.Trigger),
		"cancel": do(h.Cancel), "reset": func(form url.Values) (bool, error) {
			text := strings.ReplaceAll(form.Get("after"), " ", "")
			delay, err := time.ParseDuration(text)
			if err != nil || delay < 0 {
				return false, fmt.Errorf("the delay has to be like 30s or 1h15m, and is %q", label(text))
			}
			return h.Reset(delay), nil
		}}
}

var viewPath = regexp.MustCompile(`^(tasks|(pool|loop|supervisor)/[A-Za-z0-9._-]+/(tasks|(task|ended)/[a-z0-9-]+)?)?$`)

// back returns where an action leads, ready for one more value: to the view that the form names, or
// to that of its own address; never elsewhere. A task that is cancelled has no view any more.
func back(form url.Values, path, verb string) string {
	u, err := url.Parse(form.Get("back"))
	if err != nil || !form.Has("back") || !viewPath.MatchString(u.Path) || u.Host != "" || u.Scheme != "" {
		u = &url.URL{Path: path}
	}
	before, _, isTask := strings.Cut(u.Path, "/task/")
	switch {
	case isTask && verb == "cancel":
		u = &url.URL{Path: before + "/tasks"}
	case verb == "stack": // it is not shown elsewhere
		u = &url.URL{Path: path}
	}
	if q := newQuery(u.Query()).String(); q != "" {
		return u.Path + q + "&"
	}
	return u.Path + "?"
}

// cookieName is that of the token.
const cookieName = "punctual"

// token returns the token of the viewer, who gets one if there is none. It is in a cookie, which
// nobody else can read, and in each form; so a form can only come from a page of ours. Without a
// path the cookie holds for this view and what is below; each view has one that will do. A visit
// that comes by a link from elsewhere has it too, or it would get another, and the forms of
// tabs that are open would not match any more: what keeps other sites out is the guard.
func token(w http.ResponseWriter, r *http.Request) string {
	if c, err := r.Cookie(cookieName); err == nil && len(c.Value) == 26 {
		return c.Value
	}
	value := rand.Text()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
	return value
}

// tokenMatches reports whether the form has the token of one of the cookies.
func tokenMatches(r *http.Request) bool {
	given := []byte(r.PostForm.Get("token"))
	matches := 0
	for _, c := range r.CookiesNamed(cookieName) {
		if len(c.Value) == 26 {
			matches |= subtle.ConstantTimeCompare(given, []byte(c.Value))
		}
	}
	return matches == 1
}
