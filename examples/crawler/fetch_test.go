package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// troubled is a server that fails in every way that the web has, and counts the requests by page.
type troubled struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
}

func newTroubled(t *testing.T) *troubled {
	s := &troubled{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// count returns which request for its page this is, from 1 on.
func (s *troubled) count(page string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[page]++
	return s.asked[page]
}

func (s *troubled) serve(w http.ResponseWriter, r *http.Request) {
	n := s.count(r.URL.Path)
	first := n == 1
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html")
		for _, link := range []string{"sick", "slow", "cut", "half", "dead", "gone", "circle", "away",
			"picture", "#here", "mailto:me@example.com", "http://[bad", "/", "./"} {
			_, _ = fmt.Fprintf(w, "<p><A HREF='%s'>x</A><a>", link)
		}
	case "/sick":
		if first {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprint(w, "<html>well again")
	case "/slow":
		if first {
			<-r.Context().Done() // the client has given up
			return
		}
		_, _ = fmt.Fprint(w, "<html>at last")
	case "/cut":
		if first {
			hangUp(w)
		}
	case "/half":
		w.Header().Set("Content-Type", "text/html")
		if first {
			w.Header().Set("Content-Length", "1000")
			_, _ = fmt.Fprint(w, "<a href='leaf'>")
			return
		}
		_, _ = fmt.Fprint(w, "<a href='leaf'>")
	case "/dead":
		w.WriteHeader(http.StatusInternalServerError)
	case "/gone":
		http.NotFound(w, r)
	case "/circle":
		http.Redirect(w, r, "/circle/2", http.StatusFound)
	case "/circle/2":
		http.Redirect(w, r, "/circle", http.StatusFound)
	case "/away":
		http.Redirect(w, r, "/leaf", http.StatusMovedPermanently)
	case "/picture":
		w.Header().Set("Content-Type", "image/png")
		_, _ = fmt.Fprint(w, "<a href='/never'>")
	}
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// What is in trouble for a moment is visited in the end, what is in trouble for good is told, and
// circles of redirects come to their end.
func TestAServerWithFaults(t *testing.T) {
	s := newTroubled(t)
	client := s.Client()
	client.Timeout = 200 * time.Millisecond
	start, err := url.Parse(s.URL + "/")
	require.NoError(t, err)
	visited, failed := NewCrawler(FetchHTTP(client), 4, time.Millisecond, 1000).Crawl(t.Context(), start)
	assert.Equal(t, 10, visited, "/, sick, slow, cut, half, both of the circle, away, picture, leaf")
	require.Len(t, failed, 2, "%v", failed)
	assert.ErrorIs(t, failed[s.URL+"/dead"], ErrTemporary)
	assert.ErrorContains(t, failed[s.URL+"/gone"], "404")
	s.mu.Lock()
	defer s.mu.Unlock()
	for page, want := range map[string]int{"/": 1, "/sick": 2, "/slow": 2, "/half": 2, "/dead": 3,
		"/gone": 1, "/circle": 1, "/circle/2": 1, "/away": 1, "/leaf": 1, "/picture": 1, "/never": 0} {
		assert.Equal(t, want, s.asked[page], page)
	}
	assert.GreaterOrEqual(t, s.asked["/cut"], 2)
}

// A server that is not there is asked three times.
func TestAServerThatIsAway(t *testing.T) {
	s := newTroubled(t)
	start, err := url.Parse(s.URL)
	require.NoError(t, err)
	s.Close()
	visited, failed := NewCrawler(FetchHTTP(http.DefaultClient), 1, 0, 10).Crawl(t.Context(), start)
	assert.Zero(t, visited)
	assert.ErrorIs(t, failed[start.String()], ErrTemporary)
}

// The web of the program is visited as a whole: one page of it is missing, one was busy.
func TestTheWebOfTheProgram(t *testing.T) {
	w, err := openWeb(5)
	require.NoError(t, err)
	defer func() { assert.NoError(t, w.Close()) }()
	visited, failed := NewCrawler(FetchHTTP(new(http.Client)), 8, 0, 1000).Crawl(t.Context(), w.start())
	assert.Equal(t, 45, visited, "of the fourth host the pages behind the missing one are not found")
	assert.Len(t, failed, 1)
}
