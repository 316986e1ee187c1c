package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	robfig "github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

// drawLine draws one of those lines that package tickers rewrites: numbers, lists, ranges and steps
// of all or of ranges, and only one of the two days.
func drawLine(r *rand.Rand) string {
	field := func(from, to int) string {
		number := func() int { return from + r.IntN(to-from+1) }
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("*/%d", 1+r.IntN(to-from))
		case 1:
			a, b := number(), number()
			return fmt.Sprintf("%d-%d", min(a, b), max(a, b))
		case 2:
			a, b := number(), number()
			a, b = min(a, b), max(a, b)
			return fmt.Sprintf("%d-%d/%d", a, b, 1+r.IntN(max(b-a, 1)))
		case 3:
			return fmt.Sprintf("%d,%d", number(), number())
		case 4:
			return "*"
		}
		return fmt.Sprint(number())
	}
	fields := []string{field(0, 59), field(0, 23), "*", "*", "*"}
	switch r.IntN(4) {
	case 0:
		fields[2] = field(1, 31)
	case 1:
		fields[4] = field(0, 6)
	case 2:
		fields[3] = field(1, 12)
	}
	return strings.Join(fields, " ")
}

// What package tickers writes for a line of robfig/cron comes when that came, also when the clocks
// change by an hour and by day or after midnight: lines whose minute or hour is a star as they are,
// the others with the two policies. Where they change at midnight, or by half an hour, robfig/cron
// leaves times out, or comes on other days.
func TestLinesOfRobfigComeWhenTheyCameThere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	macros := []string{"@yearly", "@monthly", "@weekly", "@daily", "@hourly"}
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Sydney"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for i := range 4000 {
			line := drawLine(r)
			if i < len(macros) {
				line = macros[i]
			}
			theirs, err := robfig.ParseStandard("CRON_TZ=" + name + " " + line)
			require.NoError(t, err, line)
			opts := []cron.Option{cron.Zone(zone)}
			if fields := strings.Fields(line); line != "@hourly" && (len(fields) < 2 || fields[0][0] != '*' && fields[1][0] != '*') {
				opts = append(opts, cron.Gap(cron.Skip), cron.Repeat(cron.Both))
			}
			ours, err := cron.Parse(line, opts...)
			require.NoError(t, err, line)
			at := time.Date(2026, time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, zone)
			if r.IntN(2) == 0 { // near a change
				at = time.Date(2026, []time.Month{3, 4, 10, 11}[r.IntN(4)], []int{1, 8, 25, 5}[r.IntN(4)]-1, 20, 0, 0, 0, zone)
			}
			for range 40 {
				want, got := theirs.Next(at), ours.Next(at)
				require.True(t, want.Equal(got), "%q in %s after %v: %v there, %v here", line, name, at, want, got)
				if want.IsZero() {
					break
				}
				at = want
			}
		}
	}
}

// This is what package tickers writes for cron.New, AddFunc, Start and a deferred Stop.
func TestASchedulerOfRobfigAsAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		report := func() { runs++ }
		func() {
			jobs := executor.NewScheduledPool(1)
			line := cron.MustParse("30 2 * * *", cron.Gap(cron.Skip), cron.Repeat(cron.Both)) // a fix has it in place
			if _, err := jobs.On(line, func(context.Context) error {
				report()
				return nil
			}); err != nil {
				panic(err)
			}
			defer jobs.Shutdown()
			time.Sleep(72 * time.Hour)
		}()
		time.Sleep(72 * time.Hour)
		require.Equal(t, 3, runs)
	})
}
