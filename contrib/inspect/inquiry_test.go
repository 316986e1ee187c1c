package inspect_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

// users is a calendar of the user's own.
type users struct {
	next func(time.Time) time.Time
	text func() string
}

func (o users) Next(after time.Time) time.Time { return o.next(after) }
func (o users) String() string                 { return o.text() }

func each(d time.Duration) func(time.Time) time.Time {
	return func(after time.Time) time.Time { return after.Truncate(d).Add(d) }
}

func TestACalendarThatFailsHarmsNoPage(t *testing.T) {
	asked := false
	later := func(fail func()) func(time.Time) time.Time {
		return func(after time.Time) time.Time {
			if asked {
				fail()
			}
			return each(time.Hour)(after)
		}
	}
	for _, test := range []struct {
		name     string
		calendar executor.Calendar
		words    string
		trouble  string
		next     int
	}{
		{"String panics", users{each(time.Hour), func() string { panic("<no text>") }},
			"inspect_test.users", "it panics: <no text>", 5},
		{"String ends the goroutine", users{each(time.Hour), func() string { runtime.Goexit(); return "" }},
			"inspect_test.users", "it ends the goroutine that asks it", 5},
		{"String is long", users{each(time.Hour), func() string { return strings.Repeat("x", 1<<20) }},
			strings.Repeat("x", 1000) + "… (1 048 576 bytes)", "", 5},
		{"String is hostile", users{each(time.Hour), func() string { return "\u202e<script>\x00" }},
			"\u202e<script>\x00", "", 5},
		{"String is empty", users{each(time.Hour), func() string { return "" }}, "inspect_test.users", "", 5},
		{"Next panics", users{later(func() { panic(errors.New("gone")) }), func() string { return "mine" }},
			"mine", "it panics: gone", 0},
		{"Next ends the goroutine", users{later(runtime.Goexit), func() string { return "mine" }},
			"mine", "it ends the goroutine that asks it", 0},
		{"Next does not go on", users{func(after time.Time) time.Time {
			if asked {
				return after
			}
			return each(time.Hour)(after)
		}, func() string { return "mine" }}, "mine",
			"its Next answers a time that is not after its argument", 1},
		{"Next is far away", users{func(after time.Time) time.Time {
			if asked {
				return time.Unix(1<<40, 0)
			}
			return each(time.Hour)(after)
		}, func() string { return "mine" }}, "mine", "", 1},
		{"the zone is none", users{func(after time.Time) time.Time {
			return each(time.Hour)(after).In(time.FixedZone("<b>", 1<<30))
		}, func() string { return "mine" }}, "mine", "", 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
				asked = false
				_, err := p.On(test.calendar, sleep(0))
				require.NoError(t, err)
				asked = true
				page := inspect.Handler(p)
				for range 2 {
					shown, task, list := scheduled(t, page)
					assert.Equal(t, test.words, shown.Words)
					assert.Equal(t, test.trouble, shown.Trouble)
					assert.Len(t, shown.Next, test.next)
					assert.Less(t, len(task), 10_000)
					for _, body := range []string{task, list, get(t, page, "/pool/-1/").Body.String()} {
						assertHarmless(t, body)
						assert.NotContains(t, body, "<no text>")
						assert.NotContains(t, body, "<b>")
					}
					page.Forget()
				}
			})
		})
	}
}

func TestTheNameOfAZoneHarmsNoPage(t *testing.T) {
	from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		zone := time.FixedZone("\u202e<b>"+strings.Repeat("z", 1<<20), 3600)
		_, err := p.On(cron.MustParse("0 * * * *", cron.Zone(zone)), sleep(0), executor.Name("hourly"))
		require.NoError(t, err)
		time.Sleep(hour)
		page := inspect.Handler(p)
		shown, task, list := scheduled(t, page)
		assert.Len(t, shown.Next, 5)
		for _, body := range []string{task, list, get(t, page, "/pool/-1/").Body.String()} {
			assertHarmless(t, body)
			assert.NotContains(t, body, "<b>")
			assert.Less(t, len(body), 20_000)
		}
	})
}

// Of calendars that do not answer each holds a goroutine until it does, sixteen at most; a page
// waits for them only once, and shows the others.
func TestACalendarThatDoesNotAnswer(t *testing.T) {
	from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		answer := make(chan struct{})
		var hangs atomic.Bool
		var calls atomic.Int32
		hanging := users{func(after time.Time) time.Time {
			if hangs.Load() {
				calls.Add(1)
				<-answer
			}
			return each(time.Minute)(after)
		}, func() string { return "mine" }}
		for i := range 20 {
			_, err := p.On(hanging, sleep(0), executor.Name(numbered("task", i)))
			require.NoError(t, err)
		}
		_, err := p.On(cron.MustParse("* * * * *"), sleep(0), executor.Name("z"))
		require.NoError(t, err)
		hangs.Store(true)
		page := inspect.Handler(p)
		began := time.Now()
		require.Equal(t, 200, get(t, page, "/pool/-1/").Code)
		assert.Equal(t, 250*ms, time.Since(began), "as long as a page waits for calendars")
		for range 20 {
			page.Forget()
			assert.Equal(t, 21, strip(t, page).Cut, "of the others too, while so many are not done")
		}
		assert.EqualValues(t, 16, calls.Load())
		began = time.Now()
		shown, task, _ := scheduled(t, page)
		assert.Zero(t, time.Since(began))
		assert.Equal(t, "it has not answered within 100 ms", shown.Trouble)
		assert.Contains(t, task, "it has not answered within 100 ms")

		hangs.Store(false)
		close(answer)
		synctest.Wait()
		page.Forget()
		shown, _, _ = scheduled(t, page)
		assert.Empty(t, shown.Trouble, "it is asked again once it has answered")
		assert.Equal(t, "mine", shown.Words)
		assert.Zero(t, strip(t, page).Cut)
	})
}
