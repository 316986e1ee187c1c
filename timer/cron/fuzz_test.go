package cron_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// Whatever a line is, it is refused with an error that shows where, or comes later than it is
// asked, and again.
func FuzzParse(f *testing.F) {
	for _, v := range vectors(f) {
		gap, repeat := uint8(len(v.gap)), uint8(len(v.repeat))
		f.Add(v.line, v.kind == "cron6", gap, repeat, uint16(0), int64(1_774_742_400))
	}
	f.Add("CRON_TZ=Local 0 1 LW,15w,l-3 jan-MAR fri#2,SUNL", false, uint8(0), uint8(0), uint16(99),
		int64(-1<<62))
	names := allZones()
	f.Fuzz(func(t *testing.T, text string, six bool, gap, repeat uint8, zone uint16, x int64) {
		options := []cron.Option{
			cron.Zone(zoneOf(t, names[int(zone)%len(names)])),
			cron.Gap(cron.GapPolicy(gap % 2)), cron.Repeat(cron.RepeatPolicy(repeat % 3)),
		}
		parse := cron.Parse
		if six {
			parse = cron.ParseSeconds
		}
		s, err := parse(text, options...)
		if err != nil {
			checkError(t, text, err)
			return
		}
		again, err := parse(s.String(), options...)
		require.NoError(t, err)
		assert.True(t, s == again, "%q", s)
		assert.Equal(t, s.String(), again.String())
		for at, n := time.Unix(x, 0), 0; n < 5; n++ {
			next := s.Next(at)
			if next.IsZero() {
				break
			}
			require.True(t, next.After(at), "%q: %v -> %v", text, at, next)
			at = next
		}
		assert.True(t, !s.Never() || s.Next(time.Unix(x, 0)).IsZero())
	})
}

func checkError(t testing.TB, text string, err error) {
	var wrong *cron.ParseError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, text, wrong.Line)
	assert.GreaterOrEqual(t, wrong.Offset, 0)
	assert.GreaterOrEqual(t, wrong.Length, 0)
	assert.LessOrEqual(t, wrong.Offset+wrong.Length, len(text))
	assert.True(t, strings.HasPrefix(err.Error(), "cron: "))
	assert.Contains(t, err.Error(), wrong.Reason)
	assert.LessOrEqual(t, strings.Count(err.Error(), "\n"), 2, "the line and the carets are a line each")
}

// Fuzzed are the zone, the instant, and what lines and policies are made of.
func FuzzNext(f *testing.F) {
	for i, transition := range []int64{
		63_593_069, 62_035_200, 1_774_746_000, 1_325_239_200, 745_934_400, 2_240_524_800,
		3_692_217_600, 7_258_032_000,
	} {
		f.Add(uint16(i*77), transition, uint64(i))
	}
	names := allZones()
	f.Fuzz(func(t *testing.T, zone uint16, x int64, seed uint64) {
		x = (x%7_258_118_400 + 7_258_118_400) % 7_258_118_400 // until 2200
		location := zoneOf(t, names[int(zone)%len(names)])
		compareAt(t, rand.New(rand.NewPCG(seed, 1)), location, x, location.String())
	})
}
