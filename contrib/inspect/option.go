package inspect

import (
	"log/slog"
	"net/http"
)

// Option is an option of a [Page].
type Option func(*Page)

// Actions lets those pause, resume, trigger, move and cancel tasks, start jobs of Apply again that
// a failure has ended, pause and resume pools, and ask where a run stands, of whose request authorize
// returns true. It is also asked whether to show the buttons, and such a stack. Each action
// has to be a POST of the same origin with a token that the page has given out, and is logged, as
// is each that was refused, with the context of the request: so a slog.Handler can add who it was.
// The page is of one process: behind a balancer each process needs an address of its own, or an
// action reaches any of them. It panics if authorize is nil.
func Actions(authorize func(*http.Request) bool) Option {
	if authorize == nil {
		panic("inspect: nil function")
	}
	return func(p *Page) { p.authorize = authorize }
}

// TrustedOrigins has actions from pages of these origins accepted too, each like
// "https://admin.example.com". That is needed only behind a proxy that sends another Host than the
// browser did, over plain HTTP. It panics if one is no origin.
func TrustedOrigins(origins ...string) Option {
	return func(p *Page) {
		for _, o := range origins {
			if err := p.guard.AddTrustedOrigin(o); err != nil {
				panic("inspect: " + err.Error())
			}
		}
	}
}

// Logger has actions logged there rather than to slog.Default. It panics if l is nil.
func Logger(l *slog.Logger) Option {
	if l == nil {
		panic("inspect: nil logger")
	}
	return func(p *Page) { p.logger = l }
}
