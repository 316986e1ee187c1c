package calendar_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestABeginningBelongsToASpanAndAnEndDoesNot(t *testing.T) {
	hourly := cron.MustParse("0 * * * *", cron.Zone(berlin))
	first, last := at("2026-03-01T09:00:00Z"), at("2026-03-01T11:00:00Z")
	c := calendar.Until(calendar.From(hourly, first), last)
	next := c.Next(at("2026-02-28T00:00:00Z"))
	assert.True(t, next.Equal(first), next)
	next = c.Next(at("2026-03-01T09:59:59Z"))
	assert.True(t, next.Equal(at("2026-03-01T10:00:00Z")), next)
	assert.True(t, c.Next(next).IsZero())
}
