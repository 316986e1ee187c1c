//go:build unix

// Package chrome drives a real Chromium from tests.
//
// Start gives a headless browser and [Browser.Tab] a tab in it. A tab opens
// pages, presses keys, evaluates scripts, and keeps a list of everything that
// went wrong in the pages it showed. Every method of a tab ends within twenty
// seconds and fails the test when it cannot do what it was asked, so a test
// reads as the plain list of what a visitor does.
//
// The methods call Fatalf, so they belong in the goroutine of the test.
package chrome

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// startLimit is how long a browser or a tab may take to come up. It is wide
// because the first start after an install reads the program from a cold disk.
const startLimit = time.Minute

// A Browser is one running Chromium with a profile of its own.
type Browser struct {
	ctx context.Context
}

// Start runs a headless Chromium that is closed when the test ends. It
// installs the browser first where that is missing and possible, and fails the
// test where it is not.
func Start(t testing.TB) *Browser {
	t.Helper()
	path, err := require("chromium", "chromium")
	if err != nil {
		t.Fatalf("no browser: %v", err)
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options(path)...)
	t.Cleanup(stop)
	// The browser may be newer than the protocol package and send values that
	// the package does not know. That says nothing about a page.
	ctx, cancel := chromedp.NewContext(alloc,
		chromedp.WithErrorf(discard), chromedp.WithLogf(discard))
	t.Cleanup(cancel)
	if err := connect(ctx, cancel); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return &Browser{ctx: ctx}
}

func discard(string, ...any) {}

// connect makes the first contact on ctx. The browser or tab lives as long as
// the context of that contact, so the limit is set by a timer and not by a
// context with a deadline.
func connect(ctx context.Context, cancel context.CancelFunc) error {
	timer := time.AfterFunc(startLimit, cancel)
	defer timer.Stop()
	return chromedp.Do(ctx)
}

// PlainHost is a name that leads to this machine, and which the browser takes
// for a host elsewhere: it does not trust it without TLS as it does localhost.
const PlainHost = "internal.example"

// options are the flags of the browser. They keep it quiet, alike on every
// machine, and away from every host but this one.
func options(path string) []chromedp.ExecAllocatorOption {
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("window-size", "1280,800"),
		chromedp.Flag("lang", "en-US"),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("password-store", "basic"),
		chromedp.Flag("disable-features", "Translate,MediaRouter,OptimizationHints"),
		chromedp.Flag("host-resolver-rules",
			"MAP "+PlainHost+" 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost"),
	}
	for _, name := range switches {
		opts = append(opts, chromedp.Flag(name, true))
	}
	return opts
}

// switches are the flags without a value. The sandbox is off because it does
// not work for root, and the throttling of windows in the background is off
// because the windows of several tabs lie on top of each other.
var switches = []string{
	"no-sandbox",
	"no-first-run",
	"no-default-browser-check",
	"no-pings",
	"enable-automation",
	"hide-scrollbars",
	"mute-audio",
	"metrics-recording-only",
	"disable-gpu",
	"disable-quic",
	"disable-background-networking",
	"disable-background-timer-throttling",
	"disable-backgrounding-occluded-windows",
	"disable-breakpad",
	"disable-client-side-phishing-detection",
	"disable-component-update",
	"disable-default-apps",
	"disable-dev-shm-usage",
	"disable-domain-reliability",
	"disable-extensions",
	"disable-hang-monitor",
	"disable-popup-blocking",
	"disable-renderer-backgrounding",
	"disable-sync",
}
