package snippets

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/retry"
)

var urls = []string{"/a", "/b", "/c"}

func fetchPage(_ context.Context, url string) (string, error) { return "page " + url, nil }

func fetch(string) {}

func TestTheOtherPools(t *testing.T) {
	ctx := t.Context()
	func() {
		workers, err := ants.NewPool(10)
		defer workers.Release()
		var all sync.WaitGroup
		for _, u := range urls {
			all.Add(1)
			err = workers.Submit(func() {
				defer all.Done()
				fetch(u) // an error has nowhere to go
			})
		}
		all.Wait()
		require.NoError(t, err)
	}()
	func() {
		workers := pond.NewResultPool[string](10)
		group := workers.NewGroupContext(ctx)
		for _, u := range urls {
			group.SubmitErr(func() (string, error) { return fetchPage(ctx, u) })
		}
		pages, err := group.Wait()
		require.NoError(t, err)
		require.Equal(t, []string{"page /a", "page /b", "page /c"}, pages)
	}()
	func() {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(10)
		for _, u := range urls {
			group.Go(func() error {
				_, err := fetchPage(ctx, u)
				return err
			})
		}
		err := group.Wait()
		require.NoError(t, err)
	}()
}

func TestPools(t *testing.T) {
	ctx := t.Context()
	func() {
		pool := executor.NewPool(10, executor.Name("fetch"))
		defer pool.Close()

		pages, err := bulk.Map(ctx, pool, urls, fetchPage) // in order; the first error cancels the rest
		require.NoError(t, err)
		require.Equal(t, []string{"page /a", "page /b", "page /c"}, pages)
	}()
	pool := executor.NewPool(10)
	defer pool.Close()
	func() {
		group := bulk.NewGroup(ctx, pool)
		for _, u := range urls {
			group.Go(func(ctx context.Context) error {
				_, err := fetchPage(ctx, u)
				return err
			})
		}
		err := group.Wait()
		require.NoError(t, err)
	}()
	require.NoError(t, func() error {
		page, err := executor.Submit(pool, func(ctx context.Context) (string, error) {
			return fetchPage(ctx, "/index")
		}, executor.Timeout(5*time.Second), executor.Retry(3, retry.Backoff{Base: 100 * time.Millisecond}))
		if err != nil {
			return err // it was refused: the pool is shut down, or full
		}
		text, err := page.Get(ctx)
		require.Equal(t, "page /index", text)
		return err
	}())
}
