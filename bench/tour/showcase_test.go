package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestShowcaseGoesAsPromised(t *testing.T) {
	var text strings.Builder
	synctest.Test(t, func(t *testing.T) {
		var steps []step
		err := showcase(t.Context(), func(s step) error {
			steps = append(steps, s)
			text.WriteString(s.line())
			return nil
		})
		if err := errors.Join(err, asPromised(steps)); err != nil {
			t.Error(err)
		}
	})
	golden(t, "showcase.txt", text.String())
	fitsIn(t, maxColumns, text.String())
}

func TestInterruptedShowcaseReturnsAtOnceWithThePoolClosed(t *testing.T) {
	for _, after := range []time.Duration{0, 100 * ms, 400 * ms, 600 * ms, 900 * ms} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			err := showcase(ctx, func(step) error { return nil })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("interrupted after %v: error %v", after, err)
			}
			if took := time.Since(start); took != after {
				t.Errorf("interrupted after %v, returned after %v", after, took)
			}
		})
	}
}

func TestStepsThatGoWrongAreNamed(t *testing.T) {
	err := asPromised([]step{{Call: "Get", AsPromised: true}, {Call: "Cancel", Outcome: "nothing"}})
	if err == nil || err.Error() != "not as promised: Cancel: nothing" {
		t.Errorf("error %v", err)
	}
}
