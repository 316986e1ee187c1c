package inspect

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/runlog"
)

// Page shows sources. It is an [http.Handler], to be mounted at an address that ends in a slash.
type Page struct {
	sources   []*source
	panels    []*hosted
	authorize func(*http.Request) bool   // nil if nobody may change anything
	logger    *slog.Logger               // nil for slog.Default
	redactor  *redactor                  // nil if all may be seen
	runs      *runlog.Log                // nil if no lines are kept
	traceURL  *userText                  // nil if traces have no address
	user      func(*http.Request) string // nil if nobody tells who acts
	deeds     deeds
	guard     *http.CrossOriginProtection

	begun   time.Time // from which ticks are counted
	born    string    // tells this page from one of another process, in forms
	process process
	fleet   *Fleet // whose page it is; nil for one of sources

	ended chan struct{} // closed when no viewer is kept up to date any more
	end   sync.Once

	mu      sync.Mutex
	last    *snapshot
	stale   bool // last is from before an action
	stacks  stacks
	intents []*intent                      // the oldest first
	streams int                            // viewers that are kept up to date
	servers map[*http.Server]chan struct{} // closed, and kept, when its shutdown has begun
}

// Handler returns the page of pools, event loops and supervisors.
//
//	mux.Handle("/punctual/", inspect.Handler(pool))
//
// It may be mounted at any address that ends in a slash. With [http.StripPrefix] the whole address
// has to be taken away, and must not be one that the page has itself, such as /pool/ or /asset/. It
// panics for a source that is none.
func Handler(sources ...Source) *Page {
	p := &Page{sources: newSources(sources), guard: http.NewCrossOriginProtection(),
		begun: time.Now(), born: rand.Text(), ended: make(chan struct{}),
		servers: map[*http.Server]chan struct{}{}}
	p.process = newProcess(p.born, p.begun)
	return p
}

// With sets options, before the page is mounted, and returns it.
func (p *Page) With(options ...Option) *Page {
	for _, o := range options {
		o(p)
	}
	return p
}

// Close ends the streams that keep viewers up to date, and no other begins; the page still answers.
// The shutdown of an [http.Server] does that by itself for its own viewers. One that has never been
// asked for the page before it is shut down may wait for a stream that begins meanwhile: then call
// Close before.
func (p *Page) Close() { p.end.Do(func() { close(p.ended) }) }

// ServeHTTP answers a request.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	p.serverOf(r)
	path, ok := within(r)
	switch {
	case !ok:
		http.NotFound(w, r)
	case strings.HasPrefix(path, "asset/"):
		serveAsset(w, r, strings.TrimPrefix(path, "asset/"))
	case path == "health" || path == "ready":
		p.serveHealth(w, r, path == "ready", true)
	case r.Method == http.MethodPost:
		p.serveAction(w, r, path)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		p.refuse(w, r, http.StatusMethodNotAllowed, "the method is "+label(r.Method))
	case demandsAction(r):
		p.refuse(w, r, http.StatusMethodNotAllowed, "an action has to be a POST")
	case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		p.serveStream(w, r, path)
	case p.isStep(path):
		backToList(w, r)
	default:
		p.serveView(w, r, path)
	}
}

// serverOf returns what is closed when the server of a request is shut down. That has to be known
// from its first request on: a server that is shutting down tells nobody any more.
func (p *Page) serverOf(r *http.Request) <-chan struct{} {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	down := p.servers[server]
	if down == nil {
		down = make(chan struct{})
		p.servers[server] = down
		server.RegisterOnShutdown(sync.OnceFunc(func() { close(down) }))
	}
	return down
}

// within returns the path of a request below the page's own address, without a slash at the
// beginning; false if it is not below. If a mux has matched the request, its pattern says what the
// own address is, unless somebody has stripped that.
func within(r *http.Request) (string, bool) {
	path := r.URL.Path
	_, mount, _ := strings.Cut(r.Pattern, "/")
	mount = "/" + mount[:strings.LastIndex(mount, "/")+1]
	switch {
	case !strings.Contains(mount, "{"):
		path = strings.TrimPrefix(path, mount)
	case !stripped(r):
		for range strings.Count(mount, "/") - 1 {
			var found bool
			if _, path, found = strings.Cut(strings.TrimPrefix(path, "/"), "/"); !found {
				return "", false
			}
		}
	}
	return strings.TrimPrefix(path, "/"), true
}

// stripped reports whether the path is another than was asked for.
func stripped(r *http.Request) bool {
	asked, err := url.ParseRequestURI(r.RequestURI)
	return err == nil && asked.Path != r.URL.Path
}

// protect sets what a browser is to do with every answer.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "+
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types punctual")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	// Without a referrer a browser sends "Origin: null" with forms of our own too.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept, Cookie")
}

func (p *Page) log() *slog.Logger {
	if p.logger == nil {
		return slog.Default()
	}
	return p.logger
}
