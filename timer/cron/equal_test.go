package cron_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/cron"
)

func TestLinesThatMeanTheSameAreEqual(t *testing.T) {
	load := func() *time.Location {
		zone, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Skip("no tables of zones: ", err)
		}
		return zone
	}
	summer := load()
	_, _ = time.Date(2026, time.July, 1, 0, 0, 0, 0, summer).Zone() // which the location remembers
	same := [][2]cron.Schedule{
		{{}, {}},
		{cron.MustParse("0 3 * * *", cron.Zone(load())), cron.MustParse("0 3 * * *", cron.Zone(summer))},
		{cron.MustParse("CRON_TZ=Europe/Berlin 0 3 * * *"), cron.MustParse("0 3 * * *", cron.Zone(load()))},
		{cron.MustParse("0 3 * * SUN"), cron.MustParse("00 3 * * 0")},
		{cron.MustParse("@hourly"), cron.MustParse("0 * * * *")},
		{cron.MustParse("@every 60m"), cron.MustParse("@every 1h")},
	}
	for _, pair := range same {
		assert.True(t, pair[0].Equal(pair[1]), "%v, %v", pair[0], pair[1])
	}
	plain := cron.MustParse("0 3 * * *")
	for _, other := range []cron.Schedule{
		{},
		cron.MustParse("0 4 * * *"),
		cron.MustParse("@every 24h"),
		cron.MustParse("0 3 * * *", cron.Zone(summer)),
		cron.MustParse("0 3 * * *", cron.Zone(time.UTC)),
		cron.MustParse("0 3 * * *", cron.Gap(cron.Skip)),
		cron.MustParse("0 3 * * *", cron.Repeat(cron.Both)),
		cron.MustParse("0 3 * * *", cron.Splay("job", time.Hour)),
	} {
		assert.False(t, plain.Equal(other), "%v", other)
		assert.False(t, other.Equal(plain), "%v", other)
	}
}
