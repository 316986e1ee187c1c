//go:build unix

package chrome

import (
	"context"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// media is what the page is told about the wishes of its visitor.
type media struct {
	scheme string // prefers-color-scheme, or empty for that of the browser
	reduce bool   // prefers-reduced-motion
}

// Size sets the size of the viewport in CSS pixels.
func (t *Tab) Size(width, height int) {
	t.t.Helper()
	t.do("set the size", func(ctx context.Context) error {
		return call(ctx, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{
				Width: int64(width), Height: int64(height), DeviceScaleFactor: 1,
			})
	})
}

// Zone has the clock of the browser show the time of a zone.
func (t *Tab) Zone(name string) {
	t.t.Helper()
	t.do("set the zone", func(ctx context.Context) error {
		return call(ctx, emulation.SetTimezoneOverride,
			emulation.SetTimezoneOverrideParams{TimezoneID: name})
	})
}

// Dark tells the page that its visitor prefers dark colours, or light ones.
func (t *Tab) Dark(on bool) {
	t.t.Helper()
	t.media.scheme = "light"
	if on {
		t.media.scheme = "dark"
	}
	t.setMedia()
}

// ReduceMotion tells the page that its visitor prefers less motion.
func (t *Tab) ReduceMotion() {
	t.t.Helper()
	t.media.reduce = true
	t.setMedia()
}

// setMedia sends all of the media features, because the browser forgets those
// that a command leaves out.
func (t *Tab) setMedia() {
	t.t.Helper()
	var features []*emulation.MediaFeature
	add := func(name, value string) {
		features = append(features, &emulation.MediaFeature{Name: name, Value: value})
	}
	if t.media.scheme != "" {
		add("prefers-color-scheme", t.media.scheme)
	}
	if t.media.reduce {
		add("prefers-reduced-motion", "reduce")
	}
	t.do("set the media features", func(ctx context.Context) error {
		return call(ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: features})
	})
}

// Script turns the scripts of the pages that are opened from now on on or off.
// The methods of the tab work either way, but a script given to Eval or Wait
// gets no timers while scripts are off.
func (t *Tab) Script(on bool) {
	t.t.Helper()
	t.noScript = !on
	t.do("switch scripts", func(ctx context.Context) error { return setScript(ctx, on) })
}

// setScript tells the browser whether pages may run scripts.
func setScript(ctx context.Context, on bool) error {
	return call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// Hidden hides the page or shows it again, as by minimizing its window, and
// returns when the page knows. A hidden page gets no animation frames, and it
// takes no clicks and no screenshots.
func (t *Tab) Hidden(hidden bool) {
	t.t.Helper()
	t.do("hide or show the page", func(ctx context.Context) error {
		// A page with an emulated focus counts as visible whatever its window
		// does.
		focus := emulation.SetFocusEmulationEnabledParams{Enabled: !hidden}
		if err := call(ctx, emulation.SetFocusEmulationEnabled, focus); err != nil {
			return err
		}
		if err := minimize(ctx, hidden); err != nil {
			return err
		}
		want := invoke(`hidden => document.hidden === hidden`, hidden)
		var ok bool
		return patient(ctx, want, &ok, func() bool { return ok })
	})
}

// minimize minimizes or restores the window of the tab.
func minimize(ctx context.Context, on bool) error {
	window, err := chromedp.Call(ctx, browser.GetWindowForTarget,
		browser.GetWindowForTargetParams{})
	if err != nil {
		return err
	}
	state := browser.WindowStateNormal
	if on {
		state = browser.WindowStateMinimized
	}
	return call(ctx, browser.SetWindowBounds, browser.SetWindowBoundsParams{
		WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: state},
	})
}
