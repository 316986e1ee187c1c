package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crew asks the members of a fleet, some at a time. Those that have not answered last time have
// places of their own, so that they hold up nobody else.
type crew struct {
	ctx    context.Context
	places chan struct{}
	others chan struct{}
	spent  atomic.Int64 // nanoseconds in which answers were read, in all
}

// How many are asked at a time.
const (
	placesOfCrew = 16
	otherPlaces  = 4
)

func newCrew(ctx context.Context) *crew {
	return &crew{ctx: ctx, places: make(chan struct{}, placesOfCrew),
		others: make(chan struct{}, otherPlaces)}
}

// askLocked asks all who are due.
func (f *Fleet) askLocked(now time.Time) {
	if f.crew.ctx.Err() != nil {
		return
	}
	for _, s := range f.services {
		if !s.busy && now.Sub(s.asked) >= resolvedEach {
			s.busy, s.asked = true, now
			q := new(question)
			f.awaitLocked(q)
			go f.resolve(f.crew.ctx, s, q)
		}
	}
	if now.Before(f.rest) {
		return
	}
	for _, m := range f.members {
		if m.busy || now.Sub(m.asked) < askedEach {
			continue
		}
		m.busy, m.asked = true, now
		q := &question{member: m}
		if m.now.trouble == "" {
			f.awaitLocked(q)
		}
		go f.ask(q)
	}
}

// question is one to a member, or to the resolver. The lock of the fleet guards it.
//
//	awaited -> over     it is answered in time
//	awaited -> overdue  what was called does not heed its context: no view waits for it any more,
//	                    and it is not called again
//	overdue -> over     it has returned after all
type question struct {
	*member
	awaited bool // by viewers
	over    bool
}

func (f *Fleet) awaitLocked(q *question) {
	if f.pending == 0 {
		f.idle = make(chan struct{})
	}
	f.pending++
	q.awaited = true
}

func (f *Fleet) notAwaitedLocked(q *question) {
	if !q.awaited {
		return
	}
	q.awaited = false
	if f.pending--; f.pending == 0 {
		close(f.idle)
	}
}

// ifOverdue calls told, with the lock held, if a question is not over long after it should be.
func (f *Fleet) ifOverdue(q *question, told func(now time.Time)) *time.Timer {
	return time.AfterFunc(askedWithin+viewWait, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !q.over {
			told(time.Now())
			f.notAwaitedLocked(q)
		}
	})
}

// ask asks a member, when there is a place.
func (f *Fleet) ask(q *question) {
	rec, err := (*record)(nil), errors.New(exits)
	defer func() { f.asked(q, rec, err) }() // also if the client ends the goroutine
	if panicked := attempt(func() { rec, err = f.crew.ask(f, q) }); panicked != "" {
		err = errors.New(panicked)
	}
}

// asked takes what a member has answered.
func (f *Fleet) asked(q *question, rec *record, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q.busy, q.over = false, true
	now := time.Now()
	f.answeredLocked(q.member, rec, err, now)
	// To read what all answer takes a twentieth of a processor at most.
	if spent := time.Duration(f.crew.spent.Swap(0)); spent > 0 {
		f.rest = later(f.rest, now).Add(20 * spent)
	}
	f.notAwaitedLocked(q)
}

// ask waits for a place, and asks a member.
func (c *crew) ask(f *Fleet, q *question) (*record, error) {
	places := c.places
	if !q.awaited { // nobody changes that yet
		places = c.others
	}
	leave := sync.OnceFunc(func() { <-places })
	select {
	case places <- struct{}{}:
		defer leave()
	case <-c.ctx.Done():
		return nil, errors.New("the page of the fleet has been closed")
	}
	ctx, cancel := context.WithTimeout(c.ctx, askedWithin)
	defer cancel()
	late := f.ifOverdue(q, func(now time.Time) {
		leave() // others need it
		f.answeredLocked(q.member, nil, errNoAnswer, now)
	})
	defer late.Stop()
	rec, err := f.fetch(ctx, q.member)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && rec == nil {
		return nil, errNoAnswer
	}
	return rec, err
}

var errNoAnswer = errors.New("no answer within " + span(askedWithin).String())

// oddAnswer says what is wrong with an answer. That there is one shows that something is there.
type oddAnswer string

func (o oddAnswer) Error() string { return string(o) }

const notJSON = oddAnswer("it answers with no JSON")

const (
	// askedWithin is how long a member may take to answer.
	askedWithin = 2 * time.Second
	// longestAnswer is how much of its answer is read, in bytes.
	longestAnswer = 8 << 20
)

func newClient() *http.Client {
	return &http.Client{CheckRedirect: notFollowed, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 1, IdleConnTimeout: 3 * askedEach}}
}

// notFollowed has no redirect followed: it could lead anywhere.
func notFollowed(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// fetch asks a member for its index.
func (f *Fleet) fetch(ctx context.Context, m *member) (*record, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+"?format=json&with=tasks", nil)
	if err != nil {
		return nil, err
	}
	if m.host != "" {
		r.Host = m.host
	}
	r.Header.Set("Accept", "application/json")
	if f.token != "" {
		r.Header.Set("Authorization", "Bearer "+f.token)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if err := refusal(answer); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > longestAnswer:
		return nil, oddAnswer("its answer is longer than 8 MB")
	}
	began := time.Now()
	defer func() { f.crew.spent.Add(int64(time.Since(began))) }()
	return newRecord(body)
}

// refusal returns why an answer is none of a page.
func refusal(answer *http.Response) error {
	code := answer.StatusCode
	switch kind := answer.Header.Get("Content-Type"); {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return oddAnswer(fmt.Sprintf("it answers with %d: it does not accept the token", code))
	case code >= 300 && code < 400:
		return oddAnswer(fmt.Sprintf("it answers with %d, and redirects are not followed", code))
	case code != http.StatusOK:
		return oddAnswer(fmt.Sprintf("it answers with %d", code))
	case !strings.HasPrefix(kind, "application/json"):
		return notJSON
	}
	return nil
}

// troubleOfClient returns what an error says that a client has returned.
func troubleOfClient(err error) string {
	var of *url.Error
	if errors.As(err, &of) { // it begins with the whole address
		err = of.Err
	}
	return said(errorText(err)).String()
}
