package calendars_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

// Two runs a day, at nine and ten, each put off by up to two hours: that is two runs a day.
func TestAJitterLongerThanTheDistanceLosesNoRun(t *testing.T) {
	for _, policy := range []executor.CatchUpPolicy{executor.Burst, executor.Skip, executor.Coalesce} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1)
			defer p.Close()
			runs, missed, late := 0, uint64(0), 0
			_, err := p.On(cron.MustParse("0 9,10 * * *", cron.Zone(time.UTC)), func(ctx context.Context) error {
				r, _ := executor.RunFrom(ctx)
				runs++
				missed += r.Missed
				if runs%2 == 1 && time.Now().UTC().Hour() != 9 {
					late++
				}
				time.Sleep(10 * time.Minute) // the next time may come meanwhile
				return nil
			}, executor.Jitter(2*time.Hour), executor.CatchUp(policy))
			require.NoError(t, err)
			time.Sleep(100 * 24 * time.Hour)
			synctest.Wait()
			assert.Equal(t, 200, runs, "policy %v", policy)
			assert.Zero(t, missed, "policy %v", policy)
			assert.Zero(t, late, "the one for nine comes before ten, policy %v", policy)
		})
	}
}
