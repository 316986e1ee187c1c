//go:build unix

package chrome

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
)

// spotScript finds the point at which an element can be clicked, or says why
// it cannot.
const spotScript = `selector => {
	const element = document.querySelector(selector);
	if (!element) return {why: "there is no such element"};
	if (element.disabled) return {why: "the element is disabled"};
	element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	const box = [...element.getClientRects()].find(box => box.width && box.height);
	if (!box) return {why: "the element has no size"};
	const x = box.x + box.width / 2, y = box.y + box.height / 2;
	const top = document.elementFromPoint(x, y);
	if (!top) return {why: "the element lies outside of the window"};
	const same = element.contains(top) || top.closest("label")?.control === element;
	return same ? {x, y} : {why: "the element is covered by " + top.outerHTML.slice(0, 200)};
}`

// A spot is a point of the viewport, or the reason why there is none.
type spot struct {
	X, Y float64
	Why  string
}

// Click clicks the middle of the first element that matches a selector with
// the mouse. It scrolls there and waits until the element is shown, stands
// still, is not disabled and not covered by another one.
func (t *Tab) Click(selector string) {
	t.t.Helper()
	t.do("click "+selector, func(ctx context.Context) error {
		at, err := find(ctx, selector)
		if err != nil {
			return t.explain(err)
		}
		return click(ctx, at)
	})
}

// find waits for an element that stays clickable at the same spot.
func find(ctx context.Context, selector string) (spot, error) {
	var at, before spot
	var last error
	js := invoke(spotScript, selector)
	err := poll(ctx, func() (bool, error) {
		before, at = at, spot{}
		if last = eval(ctx, runtime.EvaluateParams{Expression: js}, &at); last != nil {
			at.Why = last.Error()
		}
		return at.Why == "" && at == before, nil
	})
	if err != nil && before.Why != "" {
		return at, fmt.Errorf("%w: %s", err, before.Why)
	}
	return at, err
}

// click moves the mouse to a spot and presses its left button once.
func click(ctx context.Context, at spot) error {
	event := input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y,
	}
	if err := call(ctx, input.DispatchMouseEvent, event); err != nil {
		return err
	}
	event.Button, event.Buttons, event.ClickCount = input.MouseButtonLeft, 1, 1
	event.Type = input.DispatchMouseEventTypeMousePressed
	if err := call(ctx, input.DispatchMouseEvent, event); err != nil {
		return err
	}
	event.Buttons, event.Type = 0, input.DispatchMouseEventTypeMouseReleased
	return call(ctx, input.DispatchMouseEvent, event)
}
