package inspect_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
)

// stream asks to be kept up to date, and returns the answer with a reader of its events.
func stream(t *testing.T, url string) (*http.Response, *bufio.Scanner) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return answer, lines
}

// next returns the data of the next event that has any of the kind of message.
func next(lines *bufio.Scanner) string {
	var data []string
	other := false
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			other = true
		case strings.HasPrefix(line, "data: "):
			data = append(data, strings.TrimPrefix(line, "data: "))
		case line == "":
			if data != nil && !other {
				return strings.Join(data, "\n")
			}
			data, other = nil, false
		}
	}
	return ""
}

func TestAStreamTellsWhatChanges(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	server := mounted(t, inspect.Handler(p))
	answer, lines := stream(t, server.URL+"/punctual/pool/jobs/")
	assert.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	assert.NotContains(t, next(lines), "s-paused")
	p.Pause()
	for !strings.Contains(next(lines), "s-paused") {
	}
	_ = answer.Body.Close()
}

func TestNothingNewIsNotSent(t *testing.T) {
	p := executor.NewPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	page := inspect.Handler(p)
	server := mounted(t, page)
	_, lines := stream(t, server.URL+"/punctual/")
	require.NotEmpty(t, next(lines))
	time.AfterFunc(2200*ms, page.Close)
	events := 0
	for next(lines) != "" {
		events++
	}
	assert.LessOrEqual(t, events, 1, "the rates come with the second one")
}

func TestTheShutdownOfAServerDoesNotWaitForViewers(t *testing.T) {
	s := newService(t)
	page := s.page()
	server := httptest.NewServer(page)
	for range 3 {
		_, lines := stream(t, server.URL+"/pool/jobs/")
		require.NotEmpty(t, next(lines))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	other := httptest.NewServer(page)
	defer other.Close()
	_, lines := stream(t, other.URL+"/pool/jobs/")
	require.NotEmpty(t, next(lines))
	assert.NoError(t, server.Config.Shutdown(ctx))
	server.Close()
	s.pool.Pause()
	for !strings.Contains(next(lines), "s-paused") { // the stream goes on
	}
	_, more := stream(t, other.URL+"/pool/jobs/")
	assert.NotEmpty(t, next(more), "viewers of another server are kept up to date")
	page.Close()
	assert.Equal(t, http.StatusServiceUnavailable,
		get(t, page, "/", "Accept", "text/event-stream").Code, "no other stream begins")
	assert.Equal(t, http.StatusOK, get(t, page, "/").Code)
}

// The first viewer of a server may come when it is shutting down already.
func TestNoStreamBeginsDuringAShutdown(t *testing.T) {
	page := newService(t).page()
	came, down := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pool/jobs/" {
			close(came)
			<-down
		}
		page.ServeHTTP(w, r)
	}))
	defer server.Close()
	answer, err := http.Get(server.URL + "/health")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	server.Config.RegisterOnShutdown(func() { close(down) })
	done := make(chan error, 1)
	go func() {
		<-came
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		done <- server.Config.Shutdown(ctx)
	}()
	_, lines := stream(t, server.URL+"/pool/jobs/")
	for lines.Scan() { // if it has begun, it ends
	}
	assert.NoError(t, <-done)
}

func TestViewersAreBounded(t *testing.T) {
	s := newService(t)
	server := mounted(t, s.page())
	for range 64 {
		answer, _ := stream(t, server.URL+"/punctual/")
		require.Equal(t, http.StatusOK, answer.StatusCode)
	}
	answer, _ := stream(t, server.URL+"/punctual/")
	assert.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	assert.Equal(t, http.StatusOK, get(t, server.Config.Handler, "/punctual/").Code)
}

func TestAViewThatGoesIsToldByItsStream(t *testing.T) {
	p, h, path, page, _ := steered(t)
	_ = p
	server := mounted(t, page)
	_, lines := stream(t, server.URL+"/punctual/"+path)
	require.Contains(t, next(lines), "<h1><bdi>poll</bdi>")
	h.Cancel()
	for !strings.Contains(next(lines), "Nothing is here") {
	}
}

func TestAHeadIsNoStream(t *testing.T) {
	s := newService(t)
	r := httptest.NewRequest(http.MethodHead, "/", nil)
	r.Header.Set("Accept", "text/event-stream")
	w := answer(s.page(), r) // it comes back
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Header().Get("Content-Type"), "text/html")
}

// hidden hides that a writer can flush, as some middleware does.
type hidden struct{ http.ResponseWriter }

func TestWhereNothingCanBeStreamed(t *testing.T) {
	page := newService(t).page()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept", "text/event-stream")
	page.ServeHTTP(hidden{w}, r)
	assert.Equal(t, http.StatusNotImplemented, w.Code)
}
