package executor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// The test of this file stands in the README, too, which TestTheReadmeQuotesCodeThatRuns checks.

func TestSuspendedForFiftyMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		resumed := time.Now().Add(30*time.Second + 50*time.Minute)

		samples, atOnce := 0, 0
		_, err := pool.Every(10*time.Second, func(context.Context) error {
			if samples++; samples == 3 {
				time.Sleep(50 * time.Minute) // the process stands still
			} else if since := time.Since(resumed); 0 <= since && since < time.Second {
				atOnce++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}

		time.Sleep(time.Hour) // of virtual time: no real time passes
		synctest.Wait()
		if atOnce > 1 {
			t.Errorf("%d samples in the second after the process resumed", atOnce)
		}
	})
}
