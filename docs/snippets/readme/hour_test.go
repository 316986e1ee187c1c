package jobs

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
)

func TestSuspendedForFiftyMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // from here on, time is virtual
		pool := executor.NewScheduledPool(1)
		defer pool.Close()

		runs, missed := 0, uint64(0)
		_, err := pool.Every(10*time.Second, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			missed = max(missed, run.Missed)
			if runs++; runs == 3 {
				time.Sleep(50 * time.Minute) // the machine is suspended
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}

		time.Sleep(time.Hour)
		synctest.Wait()
		if runs != 61 || missed != 299 {
			t.Errorf("%d runs, one of which stands for %d more", runs, missed)
		}
	})
}
