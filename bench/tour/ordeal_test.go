package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheTimerDiesAndThePoolSurvives(t *testing.T) {
	var text string
	synctest.Test(t, func(t *testing.T) {
		o, err := undergo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := asPromised(o.Steps); err != nil {
			t.Error(err)
		}
		text = ordealTitle + o.text(maxColumns)
	})
	golden(t, "ordeal.txt", text)
	fitsIn(t, maxColumns, text)
}

func TestAnInterruptedOrdealReturnsAtOnce(t *testing.T) {
	for _, after := range []time.Duration{0, 100 * ms, 700 * ms} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			if _, err := undergo(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("interrupted after %v: error %v", after, err)
			}
			if took := time.Since(start); took != after {
				t.Errorf("interrupted after %v, returned after %v", after, took)
			}
		})
	}
}
