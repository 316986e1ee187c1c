package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

// A year in Berlin: 366 reports, each at 03:00 by the wall clock, of days that follow each other
// without a gap. One day has 23 hours and one has 25.
func TestAYear(t *testing.T) {
	for name, changes := range map[string][2]string{
		"Europe/Berlin":    {"2000-03-26", "2000-10-29"},
		"America/New_York": {"2000-04-02", "2000-10-29"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := zone(t, name)
				time.Sleep(time.Until(time.Date(2000, 1, 1, 12, 0, 0, 0, z)))
				pool := executor.NewScheduledPool(1)
				defer pool.Close()
				var days []Day
				_, err := Nightly(pool, z, func(_ context.Context, d Day) error {
					hour, minute, second := time.Now().In(z).Clock()
					assert.Equal(t, [3]int{3, 0, 0}, [3]int{hour, minute, second}, d)
					days = append(days, d)
					return nil
				})
				require.NoError(t, err)
				time.Sleep(time.Until(time.Date(2001, 1, 1, 12, 0, 0, 0, z)))
				synctest.Wait()

				require.Len(t, days, 366)
				odd := map[string]float64{}
				for i, d := range days {
					if i > 0 {
						require.True(t, days[i-1].To.Equal(d.From))
					}
					if hours := d.To.Sub(d.From).Hours(); hours != 24 {
						odd[d.From.Format(time.DateOnly)] = hours
					}
				}
				require.Equal(t, map[string]float64{changes[0]: 23, changes[1]: 25}, odd)
			})
		})
	}
}

// The database is down at three. The report is tried again after 1, 2 and 4 minutes, and is of the
// same day.
func TestAReportThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := zone(t, "Europe/Berlin")
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		var at []string
		_, err := Nightly(pool, z, func(_ context.Context, d Day) error {
			at = append(at, time.Now().In(z).Format("02 15:04")+" "+d.From.Format("02"))
			if len(at) < 4 {
				return errors.New("the database is down")
			}
			return nil
		})
		require.NoError(t, err)
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"01 03:00 31", "01 03:01 31", "01 03:03 31", "01 03:07 31", "02 03:00 01"}, at)
	})
}
