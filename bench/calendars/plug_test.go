package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/cronexpr"
	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// The schedules of other packages are calendars as they are.
func TestSchedulesOfOthersPlugIn(t *testing.T) {
	robfig, err := cron.ParseStandard("CRON_TZ=UTC 0 3 * * *")
	require.NoError(t, err)
	hashicorp, err := cronexpr.Parse("0 3 * * *")
	require.NoError(t, err)
	for name, c := range map[string]executor.Calendar{
		"robfig": robfig, "robfig, constant delay": cron.Every(3 * time.Hour), "hashicorp": hashicorp,
	} {
		synctest.Test(t, func(t *testing.T) {
			pool := executor.NewScheduledPool(1)
			defer pool.Close()
			want := c.Next(time.Now())
			var start time.Time
			f, err := pool.On(c, func(context.Context) error {
				start = time.Now()
				return nil
			}, executor.MaxRuns(1))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			assert.True(t, start.Equal(want), "%s: %v, %v", name, start, want)
		})
	}
}
