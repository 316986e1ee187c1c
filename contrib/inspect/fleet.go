package inspect

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fleet is one page of several processes, each of which serves a [Page]. It is an [http.Handler],
// to be mounted as one. It only looks at them: what can be done is done on the page of the process.
//
// Nothing runs while nobody looks at it. Otherwise each process is asked every two seconds, for any
// number of viewers, by a GET for the JSON of its index at the address that [Address] or [Service]
// names, and for nothing else. Nothing that it answers makes the fleet ask another address: no
// redirect is followed. It has two seconds to answer, and 8 MB.
type Fleet struct {
	page     *Page
	client   *http.Client
	token    string
	resolver HostResolver
	crew     *crew
	cancel   context.CancelFunc // of the context of all that is asked

	mu       sync.Mutex
	services []*service
	members  []*member // that are asked, in order
	gone     []replica // the last one first
	version  int       // grows with each change of what is shown
	shown    *snapshot // of that version
	shownOf  int
	pending  int           // questions to those that have answered before, or may
	idle     chan struct{} // closed when there are none any more
	rest     time.Time     // before that nobody is asked, see crew.spent
}

// FleetHandler returns the page of the processes of all members.
//
//	mux.Handle("/fleet/", inspect.FleetHandler(
//		inspect.Service("http://jobs.default.svc:8080/punctual/")).With(inspect.BearerToken(token)))
//
// A process that answers no more, has lost its address or has been replaced at it is shown as gone,
// with what it had when it answered last: of 100 processes at most, 8 at each address, and of 32 MB
// of answers, those for longest that have gone last.
func FleetHandler(members ...Member) *Fleet {
	f := &Fleet{page: Handler(), client: newClient(), resolver: defaultResolver, version: 1,
		idle: make(chan struct{})}
	close(f.idle)
	f.page.fleet = f
	var ctx context.Context
	ctx, f.cancel = context.WithCancel(context.Background())
	f.crew = newCrew(ctx)
	for _, m := range members {
		if m.service {
			f.services = append(f.services, &service{Member: m})
			continue
		}
		f.members = append(f.members, newMember(m, ""))
	}
	return f
}

// FleetOption is an option of a [Fleet].
type FleetOption func(*Fleet)

// With sets options, before the fleet is mounted, and returns it.
func (f *Fleet) With(options ...FleetOption) *Fleet {
	for _, o := range options {
		o(f)
	}
	return f
}

// BearerToken has each process get this token, as "Authorization: Bearer …". Over plain HTTP anybody
// on the way can read it.
func BearerToken(token string) FleetOption { return func(f *Fleet) { f.token = token } }

// HTTPClient has processes asked by this client, for TLS. It panics if c is nil. The addresses to
// which the name of a [Service] leads are asked as such; so for that the ServerName of its TLS
// configuration has to be the name in the certificates.
func HTTPClient(c *http.Client) FleetOption {
	if c == nil {
		panic("inspect: nil client")
	}
	return func(f *Fleet) {
		own := *c
		own.CheckRedirect, own.Jar = notFollowed, nil
		f.client = &own
	}
}

// PageOptions has the page of the fleet take options of a [Page]: [Panels], for what all processes
// share, with [Actions] for what can be done there, [Redact] for what panels say, Logger and
// TrustedOrigins. What processes tell of themselves they have redacted themselves, and nothing can
// be done with them here.
func PageOptions(options ...Option) FleetOption {
	return func(f *Fleet) { f.page.With(options...) }
}

// Resolver has the names of services resolved by r, rather than by [net.DefaultResolver]. It panics
// if r is nil.
func Resolver(r HostResolver) FleetOption {
	if r == nil {
		panic("inspect: nil resolver")
	}
	return func(f *Fleet) { f.resolver = r }
}

// Close ends the streams that keep viewers up to date, as [Page.Close] does, and the questions that
// are not answered yet. No others are asked; the page still shows what it knows.
func (f *Fleet) Close() {
	f.page.Close()
	f.cancel()
	f.client.CloseIdleConnections()
}

// ServeHTTP answers a request.
func (f *Fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := within(r)
	switch {
	case !ok, path == "health", path == "ready": // it has none of its own
		protect(w.Header())
		http.NotFound(w, r)
		return
	case strings.HasPrefix(path, "asset/"):
	case path == "find":
		f.find(w, r)
		return
	default:
		f.refresh(r.Context())
	}
	f.page.ServeHTTP(w, r)
}

const (
	// askedEach is how long it takes at least from one question to a process to the next.
	askedEach = 2 * time.Second
	// viewWait is how long a viewer waits for answers.
	viewWait = time.Second
)

// refresh asks the processes that are due, and waits a little for those that usually answer.
func (f *Fleet) refresh(ctx context.Context) {
	f.mu.Lock()
	f.askLocked(time.Now())
	idle := f.idle
	f.mu.Unlock()
	timer := time.NewTimer(viewWait)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// snapshot returns what there is to see, and asks the processes that are due.
func (f *Fleet) snapshot() *snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.askLocked(time.Now())
	if f.shown == nil || f.shownOf != f.version {
		seen := f.seeLocked(time.Now())
		f.shown, f.shownOf = &snapshot{at: seen.at, panels: f.page.panels, fleet: seen}, f.version
	}
	return f.shown
}

// find leads to the view of a task, or of its run that was due at a time, by their names.
func (f *Fleet) find(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	q := r.URL.Query()
	to := "./" + taskPath(q.Get("pool"), q.Get("task"))
	if due, err := time.Parse(time.RFC3339, q.Get("due")); err == nil {
		to += runPath(due)
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
