//go:build unix

package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Eval evaluates a script in the page, awaits its value if that is a promise,
// and decodes the value into into, as JSON does. A nil into drops the value. A
// script that throws fails the test. The rules of the page about where scripts
// may come from do not bind it, what the script itself does is bound by them.
func (t *Tab) Eval(js string, into any) {
	t.t.Helper()
	t.do("evaluate "+js, func(ctx context.Context) error {
		return eval(ctx, runtime.EvaluateParams{Expression: js}, into)
	})
}

// Text returns the text of the first element that matches a selector, as it is
// seen on the page. It waits for the element.
func (t *Tab) Text(selector string) string {
	t.t.Helper()
	var text *string
	t.do("text of "+selector, func(ctx context.Context) error {
		js := invoke(`selector => {
			const element = document.querySelector(selector);
			return element && (element.innerText ?? element.textContent);
		}`, selector)
		err := patient(ctx, js, &text, func() bool { return text != nil })
		return t.explain(err)
	})
	return *text
}

// Wait polls until a JavaScript expression, or the promise it gives, is truthy.
// An expression that throws is not truthy yet, so it may look at elements that
// are still to come.
func (t *Tab) Wait(js string) {
	t.t.Helper()
	t.do("wait for "+js, func(ctx context.Context) error {
		var ok bool
		whole := "(async () => !!(await (" + js + "\n)))()"
		return t.explain(patient(ctx, whole, &ok, func() bool { return ok }))
	})
}

// explain adds what the page shows to an error.
func (t *Tab) explain(err error) error {
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(t.ctx, 2*time.Second)
	defer cancel()
	var shown struct{ URL, Title, Text string }
	js := `({URL: location.href, Title: document.title,
		Text: (document.body?.innerText ?? "").slice(0, 500)})`
	if look := eval(ctx, runtime.EvaluateParams{Expression: js}, &shown); look != nil {
		return fmt.Errorf("%w\nthe page cannot be read: %v", err, look)
	}
	return fmt.Errorf("%w\npage: %s\ntitle: %s\ntext: %s",
		err, shown.URL, shown.Title, shown.Text)
}

// patient evaluates a script into into until enough is true. The page may
// change under it or not be ready, so it goes on after an error, but not after
// one in the grammar of the script. When the time is over it tells of the last
// error.
func patient(ctx context.Context, js string, into any, enough func() bool) error {
	var last error
	err := poll(ctx, func() (bool, error) {
		err := eval(ctx, runtime.EvaluateParams{Expression: js}, into)
		var thrown *thrownError
		if errors.As(err, &thrown) && thrown.syntax {
			return false, err
		}
		if ctx.Err() == nil {
			last = err
		}
		return err == nil && enough(), nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("%w, after %w", err, last)
	}
	return err
}

// invoke is the call of a JavaScript function with arguments.
func invoke(function string, args ...any) string {
	list, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("(%s)(...%s)", function, list)
}

// eval evaluates a script, awaits it, and decodes its value into into.
func eval(ctx context.Context, params runtime.EvaluateParams, into any) error {
	yes, byValue := true, into != nil
	params.AwaitPromise, params.ReturnByValue = &yes, &byValue
	res, err := chromedp.Call(ctx, runtime.Evaluate, params)
	if err != nil {
		return err
	}
	if res.ExceptionDetails != nil {
		return newThrownError(res.ExceptionDetails)
	}
	if into == nil {
		return nil
	}
	if len(res.Result.Value) == 0 {
		return fmt.Errorf("the value is %s, which JSON cannot hold", describe(res.Result))
	}
	return json.Unmarshal(res.Result.Value, into)
}

// A thrownError is an exception of a script that this package evaluated.
type thrownError struct {
	text   string
	syntax bool
}

func newThrownError(details *runtime.ExceptionDetails) *thrownError {
	syntax := details.Exception != nil && details.Exception.ClassName == "SyntaxError"
	return &thrownError{text: exception(details), syntax: syntax}
}

func (e *thrownError) Error() string { return e.text }

// exception is the text of an exception with its stack where there is one.
func exception(details *runtime.ExceptionDetails) string {
	if details.Exception == nil {
		return details.Text
	}
	return details.Text + " " + describe(details.Exception)
}

// describe is a JavaScript value as the console would show it.
func describe(value *runtime.RemoteObject) string {
	var text string
	switch {
	case len(value.Value) > 0 && json.Unmarshal(value.Value, &text) == nil:
		return text
	case len(value.Value) > 0:
		return string(value.Value)
	case value.UnserializableValue != "":
		return string(value.UnserializableValue)
	case value.Description != "":
		return value.Description
	}
	return string(value.Type)
}
