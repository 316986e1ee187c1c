package inspect_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // some machines have no tables of zones

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// scheduleJSON is what these tests read of a schedule.
type scheduleJSON struct {
	Words, Line, Zone, Trouble string
	Next, Previous             []momentJSON
	Ends                       bool
	Estimates                  bool
	Runs                       bool `json:"previous_are_runs"`
}

type momentJSON struct {
	At, Zone string
	Clock    []struct{ Kind, Words string }
	Run      uint64
	NoRun    bool `json:"no_run"`
}

// String is a line of the golden texts.
func (m momentJSON) String() string {
	line := m.At + " " + m.Zone
	if m.Run > 0 {
		line += fmt.Sprintf(" run %d", m.Run)
	}
	if m.NoRun {
		line += " no run"
	}
	for _, c := range m.Clock {
		line += " | " + c.Kind + ": " + c.Words
	}
	return line
}

func lines(list []momentJSON) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}

// scheduled returns the schedule of the first task of a pool, its page and the list's.
func scheduled(t *testing.T, page http.Handler) (s scheduleJSON, task, list string) {
	t.Helper()
	list = get(t, page, "/pool/-1/tasks").Body.String()
	var tasks listing
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/-1/tasks?format=json").Body.Bytes(), &tasks))
	require.NotEmpty(t, tasks.Tasks)
	path := "/" + tasks.Tasks[0].Task.Path
	var v struct{ Schedule scheduleJSON }
	w := get(t, page, path+"?format=json")
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v), w.Body.String())
	return v.Schedule, get(t, page, path).Body.String(), list
}

func berlin(t *testing.T) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	return zone
}

// from has a test played in a bubble in which it is a certain time.
func from(t *testing.T, now string, play func(t *testing.T, p *executor.ScheduledPool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		at, err := time.Parse(time.RFC3339, now)
		require.NoError(t, err)
		time.Sleep(time.Until(at))
		p := executor.NewScheduledPool(2, executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		play(t, p)
	})
}

func TestANightlyScheduleAroundTheChangesOfTheClock(t *testing.T) {
	for name, test := range map[string]struct {
		now, line, previous, next string
	}{
		"before the gap": {"2000-03-24T12:00:00Z", "30 2 * * *", `2000-03-20T02:30:00+01:00 CET
2000-03-21T02:30:00+01:00 CET
2000-03-22T02:30:00+01:00 CET
2000-03-23T02:30:00+01:00 CET
2000-03-24T02:30:00+01:00 CET
`, `2000-03-25T02:30:00+01:00 CET
2000-03-26T03:00:00+02:00 CEST | offset: UTC+2 from here on, UTC+1 before | gap: the clock goes from 02:00 to 03:00: stands for 02:30
2000-03-27T02:30:00+02:00 CEST
2000-03-28T02:30:00+02:00 CEST
2000-03-29T02:30:00+02:00 CEST
`},
		"after the gap": {"2000-03-26T12:00:00Z", "30 2 * * *", `2000-03-22T02:30:00+01:00 CET
2000-03-23T02:30:00+01:00 CET
2000-03-24T02:30:00+01:00 CET
2000-03-25T02:30:00+01:00 CET
2000-03-26T03:00:00+02:00 CEST | offset: UTC+2 from here on, UTC+1 before | gap: the clock goes from 02:00 to 03:00: stands for 02:30
`, `2000-03-27T02:30:00+02:00 CEST
2000-03-28T02:30:00+02:00 CEST
2000-03-29T02:30:00+02:00 CEST
2000-03-30T02:30:00+02:00 CEST
2000-03-31T02:30:00+02:00 CEST
`},
		"before the repeat": {"2000-10-28T12:00:00Z", "30 2 * * *", `2000-10-24T02:30:00+02:00 CEST
2000-10-25T02:30:00+02:00 CEST
2000-10-26T02:30:00+02:00 CEST
2000-10-27T02:30:00+02:00 CEST
2000-10-28T02:30:00+02:00 CEST
`, `2000-10-29T02:30:00+02:00 CEST | first: 02:30 comes twice: the first
2000-10-30T02:30:00+01:00 CET | offset: UTC+1 from here on, UTC+2 before
2000-10-31T02:30:00+01:00 CET
2000-11-01T02:30:00+01:00 CET
2000-11-02T02:30:00+01:00 CET
`},
		"like an interval, in the repeat": {"2000-10-29T00:10:00Z", "*/30 * * * *", `2000-10-29T00:00:00+02:00 CEST
2000-10-29T00:30:00+02:00 CEST
2000-10-29T01:00:00+02:00 CEST
2000-10-29T01:30:00+02:00 CEST
2000-10-29T02:00:00+02:00 CEST | first: 02:00 comes twice: the first
`, `2000-10-29T02:30:00+02:00 CEST | first: 02:30 comes twice: the first
2000-10-29T02:00:00+01:00 CET | offset: UTC+1 from here on, UTC+2 before | second: 02:00 comes twice: the second
2000-10-29T02:30:00+01:00 CET | second: 02:30 comes twice: the second
2000-10-29T03:00:00+01:00 CET
2000-10-29T03:30:00+01:00 CET
`},
		"like an interval, over the gap": {"2000-03-26T00:10:00Z", "*/30 * * * *", `2000-03-25T23:00:00+01:00 CET
2000-03-25T23:30:00+01:00 CET
2000-03-26T00:00:00+01:00 CET
2000-03-26T00:30:00+01:00 CET
2000-03-26T01:00:00+01:00 CET
`, `2000-03-26T01:30:00+01:00 CET
2000-03-26T03:00:00+02:00 CEST | offset: UTC+2 from here on, UTC+1 before
2000-03-26T03:30:00+02:00 CEST
2000-03-26T04:00:00+02:00 CEST
2000-03-26T04:30:00+02:00 CEST
`},
	} {
		t.Run(name, func(t *testing.T) {
			from(t, test.now, func(t *testing.T, p *executor.ScheduledPool) {
				s := cron.MustParse(test.line, cron.Zone(berlin(t)))
				_, err := p.On(s, sleep(0), executor.Name("report"))
				require.NoError(t, err)
				shown, _, _ := scheduled(t, inspect.Handler(p))
				assert.Equal(t, test.previous, lines(shown.Previous))
				assert.Equal(t, test.next, lines(shown.Next))
				assert.Equal(t, test.line, shown.Line)
				assert.Equal(t, s.Describe(), shown.Words)
				assert.Equal(t, "Europe/Berlin", shown.Zone)
			})
		})
	}
}

// What is marked follows from the offsets of a zone alone, whatever they are.
func TestChangesOfTheClockInOddZones(t *testing.T) {
	for _, test := range []struct{ now, line, next string }{
		{"2000-08-25T12:00:00Z", "CRON_TZ=Australia/Lord_Howe 15 2 * * *", `2000-08-26T02:15:00+10:30 +1030
2000-08-27T02:30:00+11:00 +11 | offset: UTC+11 from here on, UTC+10:30 before | gap: the clock goes from 02:00 to 02:30: stands for 02:15
2000-08-28T02:15:00+11:00 +11
2000-08-29T02:15:00+11:00 +11
2000-08-30T02:15:00+11:00 +11
`},
		{"2000-10-28T12:00:00Z", "CRON_TZ=America/New_York 30 1 * * *", `2000-10-29T01:30:00-04:00 EDT | first: 01:30 comes twice: the first
2000-10-30T01:30:00-05:00 EST | offset: UTC−5 from here on, UTC−4 before
2000-10-31T01:30:00-05:00 EST
2000-11-01T01:30:00-05:00 EST
2000-11-02T01:30:00-05:00 EST
`},
		{"2000-04-01T12:00:00Z", "CRON_TZ=America/New_York 0 3 * * *", `2000-04-02T03:00:00-04:00 EDT | offset: UTC−4 from here on, UTC−5 before
2000-04-03T03:00:00-04:00 EDT
2000-04-04T03:00:00-04:00 EDT
2000-04-05T03:00:00-04:00 EDT
2000-04-06T03:00:00-04:00 EDT
`},
		{"2011-12-29T12:00:00Z", "CRON_TZ=Pacific/Apia 0 12 * * *", `2011-12-29T12:00:00-10:00 -10
2011-12-31T00:00:00+14:00 +14 | offset: UTC+14 from here on, UTC−10 before | gap: the clock goes from 30 Dec 00:00 to 31 Dec 00:00: stands for 12:00
2011-12-31T12:00:00+14:00 +14
2012-01-01T12:00:00+14:00 +14
2012-01-02T12:00:00+14:00 +14
`},
		{"2000-01-01T00:00:00Z", "CRON_TZ=Asia/Kathmandu 0 12 * * *", `2000-01-01T12:00:00+05:45 +0545
2000-01-02T12:00:00+05:45 +0545
2000-01-03T12:00:00+05:45 +0545
2000-01-04T12:00:00+05:45 +0545
2000-01-05T12:00:00+05:45 +0545
`},
	} {
		from(t, test.now, func(t *testing.T, p *executor.ScheduledPool) {
			_, err := p.On(cron.MustParse(test.line), sleep(0))
			require.NoError(t, err)
			shown, _, _ := scheduled(t, inspect.Handler(p))
			assert.Equal(t, test.next, lines(shown.Next))
		})
	}
}

// Whoever looks from a server in UTC sees 02:30, as it was asked for.
func TestATimeIsShownInTheZoneOfItsSchedule(t *testing.T) {
	from(t, "2000-01-10T12:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		line := cron.MustParse("CRON_TZ=Europe/Berlin 30 2 * * MON-FRI")
		_, err := p.On(line, sleep(0), executor.Name("report"))
		require.NoError(t, err)
		page := inspect.Handler(p)
		_, task, list := scheduled(t, page)
		when := `<bdi>at 02:30 on weekdays, Europe/Berlin</bdi> <code><bdi>CRON_TZ=Europe/Berlin 30 2 * * MON-FRI</bdi></code>`
		next := `<time datetime="2000-01-11T02:30:00&#43;01:00">Tue 2000-01-11 02:30:00 CET</time>`
		for _, body := range []string{task, list} {
			assert.Contains(t, body, when)
			assert.Contains(t, body, next)
			assert.NotContains(t, body, "01:30")
		}
		assert.Contains(t, get(t, page, "/pool/-1/").Body.String(), `<td>2000-01-11 02:30:00 CET</td>`)
		assert.Contains(t, task, next+", in 13 h 30 min</dd>")
		assert.Contains(t, task, `<dd><bdi>Europe/Berlin</bdi> <span class="quiet">the server: `+time.Now().Format("MST"))
		var v struct{ Tasks []struct{ Next string } }
		body := get(t, page, "/pool/-1/tasks?format=json").Body.Bytes()
		require.NoError(t, json.Unmarshal(body, &v))
		assert.Equal(t, "2000-01-11T02:30:00+01:00", v.Tasks[0].Next)
		time.Sleep(15 * hour)
		page.Forget()
		_, task, list = scheduled(t, page)
		assert.Contains(t, task, `<dd>02:30:00 CET, took 0 ns</dd>`)
		assert.Contains(t, task, `<dt>last success</dt><dd>02:30:00 CET</dd>`)
		assert.Contains(t, task, `<td class="t">02:30:00 CET</td>`)
		assert.Contains(t, list, `<td class="t" data-is="last run">02:30:00 CET ok</td>`)
	})
}

func TestThePreviousTimesTellTheirRuns(t *testing.T) {
	from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		f, err := p.On(cron.MustParse("0 * * * *", cron.Zone(time.UTC)), sleep(time.Minute), executor.Name("hourly"))
		require.NoError(t, err)
		time.Sleep(time.Hour) // 01:00 has run
		f.Pause()
		time.Sleep(time.Hour) // 02:00 has not
		f.Resume()
		f.Trigger()
		time.Sleep(time.Hour + 30*time.Minute + 30*time.Second) // 03:00 has, and 04:00 does
		shown, _, _ := scheduled(t, inspect.Handler(p))
		assert.Equal(t, `2000-01-01T00:00:00Z UTC
2000-01-01T01:00:00Z UTC run 1
2000-01-01T02:00:00Z UTC no run
2000-01-01T03:00:00Z UTC run 3
2000-01-01T04:00:00Z UTC
`, lines(shown.Previous))
	})
}

func TestWhatIsShownOfAComposition(t *testing.T) {
	from(t, "2000-01-01T00:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		both := calendar.Union(calendar.Daily(calendar.At(12, 0)), calendar.Weekly(calendar.At(8, 0), time.Monday))
		_, err := p.On(calendar.Except(both.In(berlin(t)), calendar.OnWeekdays(time.Sunday)), sleep(0))
		require.NoError(t, err)
		shown, task, _ := scheduled(t, inspect.Handler(p))
		assert.Equal(t, "daily at 12:00 in Europe/Berlin, except Sun; weekly at 08:00 on Mon in "+
			"Europe/Berlin, except Sun", shown.Words)
		assert.Empty(t, shown.Line, "the words are its text")
		assert.Equal(t, "Europe/Berlin", shown.Zone)
		assert.True(t, strings.HasPrefix(lines(shown.Next), "2000-01-01T12:00:00+01:00 CET\n"+
			"2000-01-03T08:00:00+01:00 CET\n2000-01-03T12:00:00+01:00 CET\n"), lines(shown.Next))
		assert.True(t, strings.HasSuffix(lines(shown.Previous), "1999-12-30T12:00:00+01:00 CET\n"+
			"1999-12-31T12:00:00+01:00 CET\n"), lines(shown.Previous))
		assert.Contains(t, task, "Times of the schedule that have passed, and the next times")
	})
}

func TestTheNextTimesEndWithTheSeries(t *testing.T) {
	hourly := cron.MustParse("0 * * * *", cron.Zone(time.UTC))
	from(t, "2000-01-01T00:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		_, err := p.On(hourly, sleep(0), executor.Until(time.Now().Add(3*hour)))
		require.NoError(t, err)
		shown, task, _ := scheduled(t, inspect.Handler(p))
		assert.Equal(t, "2000-01-01T01:00:00Z UTC\n2000-01-01T02:00:00Z UTC\n", lines(shown.Next))
		assert.True(t, shown.Ends)
		assert.Contains(t, task, "No run comes after these.")
	})
	from(t, "2000-01-01T00:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		_, err := p.On(hourly, sleep(0), executor.MaxRuns(4))
		require.NoError(t, err)
		time.Sleep(hour + ms)
		shown, _, _ := scheduled(t, inspect.Handler(p))
		assert.Len(t, shown.Next, 3)
		assert.True(t, shown.Ends)
	})
}

func TestWhatWouldBeNextOfAPausedSeries(t *testing.T) {
	from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		f, err := p.On(cron.MustParse("0 * * * *", cron.Zone(time.UTC)), sleep(0))
		require.NoError(t, err)
		f.Pause()
		time.Sleep(2 * hour)
		shown, task, _ := scheduled(t, inspect.Handler(p))
		assert.True(t, strings.HasPrefix(lines(shown.Next), "2000-01-01T03:00:00Z UTC\n"))
		assert.Len(t, shown.Next, 5)
		assert.Contains(t, task, "and the times that would be next, were it not paused")
		assert.Contains(t, task, "<dd>none is planned</dd>")
	})
}

// A run that is moved by a command leaves out the times of the calendar before it.
func TestTheNextTimesBeginWithTheOneThatIsPlanned(t *testing.T) {
	from(t, "2000-01-01T00:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		f, err := p.On(cron.MustParse("0 * * * *", cron.Zone(time.UTC)), sleep(0))
		require.NoError(t, err)
		require.True(t, f.Reset(100*time.Minute))
		shown, _, _ := scheduled(t, inspect.Handler(p))
		assert.True(t, strings.HasPrefix(lines(shown.Next), "2000-01-01T02:10:00Z UTC\n2000-01-01T03:00:00Z UTC\n"),
			lines(shown.Next))
	})
}

func TestTheNextTimesOfRatesAndDelays(t *testing.T) {
	times := func(start func(p *executor.ScheduledPool) error) (s scheduleJSON, task string) {
		from(t, "2000-01-01T00:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
			require.NoError(t, start(p))
			s, task, _ = scheduled(t, inspect.Handler(p))
		})
		for i, m := range s.Next {
			at, err := time.Parse(time.RFC3339, m.At)
			require.NoError(t, err)
			s.Next[i].At = at.UTC().Format("15:04:05")
		}
		return s, task
	}
	clocks := func(s scheduleJSON) (at []string) {
		for _, m := range s.Next {
			at = append(at, m.At)
		}
		return at
	}
	s, task := times(func(p *executor.ScheduledPool) error {
		_, err := p.AtFixedRate(time.Minute, hour, sleep(0))
		return err
	})
	assert.Equal(t, []string{"00:01:00", "01:01:00", "02:01:00", "03:01:00", "04:01:00"}, clocks(s))
	assert.Contains(t, task, "<dd>fixed rate 1 h 00 min</dd>")
	s, task = times(func(p *executor.ScheduledPool) error {
		_, err := p.WithFixedDelay(0, 10*time.Minute, sleep(5*time.Minute))
		time.Sleep(6 * time.Minute)
		return err
	})
	assert.Equal(t, []string{"00:15:00", "00:30:00", "00:45:00", "01:00:00", "01:15:00"}, clocks(s))
	assert.True(t, s.Estimates)
	assert.Contains(t, task, "as if each run took as long as the last")
	s, _ = times(func(p *executor.ScheduledPool) error {
		_, err := p.AtFixedRate(0, hour, sleep(0))
		time.Sleep(time.Minute)
		p.Pause()
		time.Sleep(3 * hour)
		return err
	})
	assert.Equal(t, []string{"01:00:00", "04:00:00", "05:00:00", "06:00:00", "07:00:00"}, clocks(s),
		"what is overdue runs once")
	s, _ = times(func(p *executor.ScheduledPool) error {
		_, err := p.AtFixedRate(time.Minute, hour, sleep(0), executor.MaxRuns(2))
		return err
	})
	assert.Equal(t, []string{"00:01:00", "01:01:00"}, clocks(s))
	assert.True(t, s.Ends)
	s, _ = times(func(p *executor.ScheduledPool) error {
		_, err := p.AtFixedRate(1<<62, 1<<63-2, sleep(0))
		return err
	})
	assert.Len(t, s.Next, 5, "far in the future")
	s, task = times(func(p *executor.ScheduledPool) error {
		_, err := p.WithFixedDelay(math.MaxInt64, math.MaxInt64, sleep(0))
		return err
	})
	assert.Empty(t, s.Next, "on demand")
	assert.NotContains(t, task, `class="times"`)
}

func TestACalendarOfTheUsersOwnShowsItsLastRuns(t *testing.T) {
	from(t, "2000-01-01T00:00:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		_, err := p.On(minutes{}, sleep(0))
		require.NoError(t, err)
		time.Sleep(2*time.Minute + ms)
		shown, task, _ := scheduled(t, inspect.Handler(p))
		assert.Equal(t, "inspect_test.minutes", shown.Words, "it tells no text")
		assert.True(t, shown.Runs)
		require.Len(t, shown.Previous, 2)
		assert.EqualValues(t, 2, shown.Previous[1].Run)
		assert.Len(t, shown.Next, 5)
		assert.Contains(t, task, "Times of its last runs, and the next times")
	})
}

// around has the words, zone and Prev of a line, but leaves out the even hours.
type around struct{ cron.Schedule }

func (a around) Next(after time.Time) time.Time {
	for {
		if after = a.Schedule.Next(after); after.UTC().Hour()%2 == 1 {
			return after
		}
	}
}

func TestThePreviousTimesAreThoseThatNextTells(t *testing.T) {
	from(t, "2000-01-01T12:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		_, err := p.On(around{cron.MustParse("0 * * * *", cron.Zone(time.UTC))}, sleep(0))
		require.NoError(t, err)
		shown, _, _ := scheduled(t, inspect.Handler(p))
		assert.Equal(t, `2000-01-01T03:00:00Z UTC
2000-01-01T05:00:00Z UTC
2000-01-01T07:00:00Z UTC
2000-01-01T09:00:00Z UTC
2000-01-01T11:00:00Z UTC
`, lines(shown.Previous))
	})
	from(t, "2000-01-01T12:30:00Z", func(t *testing.T, p *executor.ScheduledPool) {
		_, err := p.On(cron.MustParse("@every 90m"), sleep(0))
		require.NoError(t, err)
		shown, _, _ := scheduled(t, inspect.Handler(p))
		assert.Empty(t, shown.Previous, "it has no times of its own, and there was no run")
		assert.Len(t, shown.Next, 5)
	})
}
