package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func page(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

// pretended takes a second for each page and notes when it was asked for.
type pretended struct {
	mu    sync.Mutex
	begun time.Time
	links map[string][]string
	asked map[string][]time.Duration // by host
	pages []string
}

func (w *pretended) fetch(_ context.Context, page *url.URL) (links []*url.URL, err error) {
	w.mu.Lock()
	w.asked[page.Host] = append(w.asked[page.Host], time.Since(w.begun))
	w.pages = append(w.pages, page.String())
	w.mu.Unlock()
	time.Sleep(time.Second)
	switch page.Path {
	case "/broken":
		return nil, errors.New("broken")
	case "/busy":
		return nil, ErrTemporary
	}
	for _, text := range w.links[page.Path] {
		link, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

func newPretended(links map[string][]string) *pretended {
	return &pretended{begun: time.Now(), links: links, asked: map[string][]time.Duration{}}
}

// A page takes a second and the pause two: a host is asked each three seconds, whatever the number
// of workers, and hosts do not wait for each other.
func TestThePaceOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPretended(map[string][]string{"/": {"/1", "/2", "/broken", "/1", "http://b/", "http://c/"}})
		visited, failed := NewCrawler(w.fetch, 20, 2*time.Second, 1000).Crawl(t.Context(), page(t, "http://a/"))
		require.Equal(t, 9, visited)
		require.Len(t, failed, 3)
		for host, first := range map[string]int{"a": 0, "b": 1, "c": 1} {
			var want []time.Duration
			for i := range 4 {
				want = append(want, time.Duration(first+3*i)*time.Second)
			}
			require.Equal(t, want, w.asked[host], host)
		}
	})
}

// Each page is visited once, though all lead to all.
func TestEachPageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := map[string][]string{}
		for i := range 10 {
			for j := range 10 {
				links[fmt.Sprintf("/%d", i)] = append(links[fmt.Sprintf("/%d", i)], fmt.Sprintf("/%d", j))
			}
		}
		w := newPretended(links)
		visited, failed := NewCrawler(w.fetch, 4, 0, 1000).Crawl(t.Context(), page(t, "http://a/0"))
		require.Equal(t, 10, visited)
		require.Empty(t, failed)
		require.Equal(t, 10*time.Second, time.Since(w.begun))
	})
}

// The crawl ends with its context, at once, whatever waits.
func TestACrawlThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPretended(map[string][]string{"/": {"/1", "/2", "/3"}})
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		visited, _ := NewCrawler(w.fetch, 4, time.Minute, 1000).Crawl(ctx, page(t, "http://a/"))
		require.Equal(t, 2, visited)
		require.Equal(t, 90*time.Second, time.Since(w.begun))
	})
}

// Two start pages, of which the first has no links: the crawl goes on to the second. A page that is
// busy again and again fails in the end, and holds up its host alone.
func TestABusyPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPretended(map[string][]string{})
		visited, failed := NewCrawler(w.fetch, 1, 0, 1000).Crawl(t.Context(), page(t, "http://a/busy"),
			page(t, "http://b/1"), page(t, "http://a/1"))
		require.Equal(t, 2, visited)
		require.ErrorIs(t, failed["http://a/busy"], ErrTemporary)
		require.Equal(t, []string{"http://a/busy", "http://b/1", "http://a/busy", "http://a/busy", "http://a/1"},
			w.pages)
	})
}

func TestACrawlFromNowhereIsOver(t *testing.T) {
	visited, failed := NewCrawler(nil, 1, 0, 1000).Crawl(t.Context())
	require.Zero(t, visited)
	require.Empty(t, failed)
}
