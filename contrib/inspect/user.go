package inspect

import (
	"context"
	"net/http"
)

// Who has each action logged with the name that user returns for its request, as "user", and shown
// with it: to all who may look, beside what was done. User is called once for each action that has
// passed Actions, before it is done. It panics if user is nil.
//
//	page.With(inspect.Who(func(r *http.Request) string {
//		name, _, _ := r.BasicAuth() // which something in front of the page has verified
//		return name
//	}))
func Who(user func(*http.Request) string) Option {
	if user == nil {
		panic("inspect: nil function")
	}
	return func(p *Page) { p.user = user }
}

type userKey struct{}

// withUser has a request carry who sends it.
func (p *Page) withUser(r *http.Request) *http.Request {
	if p.user == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), userKey{}, label(p.user(r))))
}

// userOf returns who sends a request; "" if that is not known.
func userOf(r *http.Request) string {
	name, _ := r.Context().Value(userKey{}).(string)
	return name
}
