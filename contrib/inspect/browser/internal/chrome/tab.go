//go:build unix

package chrome

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// limit is how long one method of a tab may take.
	limit = 20 * time.Second
	// pause lies between two looks at a page that is not ready yet.
	pause = 25 * time.Millisecond
)

// A Tab is one page of a browser, in a window of its own. It shares its
// cookies with the other tabs of the browser.
type Tab struct {
	t        testing.TB
	ctx      context.Context
	limit    time.Duration
	loads    *loads
	problems *problems
	media    media
	noScript bool
}

// Tab opens an empty tab that is closed when the test ends. The tab watches
// for problems from its first page on.
func (b *Browser) Tab(t testing.TB) *Tab {
	t.Helper()
	tab := &Tab{t: t, limit: limit, loads: newLoads(), problems: newProblems()}
	ctx, cancel := chromedp.NewContext(b.ctx,
		chromedp.WithListener(tab.loads.handle), chromedp.WithListener(tab.problems.handle))
	t.Cleanup(cancel)
	if err := connect(ctx, cancel); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	tab.ctx = ctx
	tab.do("prepare a tab", tab.prepare)
	return tab
}

// prepare turns on what the tab needs before its first page.
func (t *Tab) prepare(ctx context.Context) error {
	if err := call(ctx, audits.Enable, cdp.Empty{}); err != nil {
		return err
	}
	binding := runtime.AddBindingParams{Name: cspBinding, ExecutionContextName: cspWorld}
	if err := call(ctx, runtime.AddBinding, binding); err != nil {
		return err
	}
	script := page.AddScriptToEvaluateOnNewDocumentParams{Source: cspScript, WorldName: cspWorld}
	if err := call(ctx, page.AddScriptToEvaluateOnNewDocument, script); err != nil {
		return err
	}
	return call(ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
}

// Open loads an address and returns after the load event of the page, or of
// the page it redirected to. A page that answers with an HTTP error opens like
// any other, and Problems tells of it.
func (t *Tab) Open(url string) {
	t.t.Helper()
	t.do("open "+url, func(ctx context.Context) error {
		res, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: url})
		if err != nil {
			return err
		}
		if res.ErrorText != "" {
			return fmt.Errorf("the browser says %s", res.ErrorText)
		}
		// A change of the fragment alone loads nothing.
		if res.LoaderID == "" {
			return nil
		}
		return poll(ctx, func() (bool, error) { return t.loads.done(res.LoaderID), nil })
	})
}

// do runs f within the limit and fails the test with what was tried.
func (t *Tab) do(what string, f func(context.Context) error) {
	t.t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, t.limit)
	defer cancel()
	if err := f(ctx); err != nil {
		t.t.Fatalf("%s: %v", what, err)
	}
}

// call runs a command of the protocol whose answer does not matter.
func call[P, R any](ctx context.Context, cmd cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, cmd, params)
	return err
}

// poll calls ready until it is true, fails, or the context ends.
func poll(ctx context.Context, ready func() (bool, error)) error {
	for {
		ok, err := ready()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
