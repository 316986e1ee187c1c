package calendars_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestAJobOnTheSameCalendarIsLeftAlone(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		job := func(line string) executor.Job {
			return executor.Job{Name: "report", Task: s.run, On: cron.MustParse(line)}
		}
		ch, err := p.Apply(job("0 3 * * *"))
		require.NoError(t, err)
		assert.Equal(t, []string{"report"}, ch.Added)
		assert.Equal(t, []string{"01T03:00"}, s.after(4*hour))

		ch, err = p.Apply(job("0  3 * * *"))
		require.NoError(t, err)
		assert.Equal(t, []string{"report"}, ch.Unchanged)
		h, ok := p.Lookup("report")
		require.True(t, ok)
		assert.EqualValues(t, 1, h.Runs())

		ch, err = p.Apply(job("30 4 * * *"))
		require.NoError(t, err)
		assert.Equal(t, []string{"report"}, ch.Changed)
		assert.Equal(t, []string{"01T04:30", "02T04:30"}, s.after(24*hour+30*time.Minute))

		ch, err = p.Apply(executor.Job{Name: "report", Task: s.run, Rate: hour})
		require.NoError(t, err)
		assert.Equal(t, []string{"report"}, ch.Changed)
		assert.Len(t, s.after(hour), 2)
	})
}

func TestAJobWhoseCalendarIsOverIsNotStartedAgain(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		job := executor.Job{Name: "once", Task: s.run, On: list{day(1)}}
		_, err := p.Apply(job)
		require.NoError(t, err)
		assert.Len(t, s.after(5*hour), 1)
		ch, err := p.Apply(job)
		require.NoError(t, err)
		assert.Equal(t, []string{"once"}, ch.Unchanged)

		_, err = p.Apply(job, executor.Job{Name: "late", Task: s.run, On: list{day(2)}})
		require.ErrorIs(t, err, executor.ErrInvalid)
		require.ErrorContains(t, err, "late")
		assert.Empty(t, s.after(5*hour))
	})
}

func TestAJobHasOneKindOfTime(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		for _, j := range []executor.Job{
			{Name: "both", Task: s.run, On: every(hour), Rate: hour},
			{Name: "late", Task: s.run, On: every(hour), Initial: hour},
			{Name: "shift", Task: s.run, On: every(hour),
				Options: []executor.TaskOption{executor.CatchUp(executor.Shift)}},
		} {
			_, err := p.Apply(j)
			require.ErrorIs(t, err, executor.ErrInvalid)
		}
	})
}

func TestAJobFollowsTheClock(t *testing.T) {
	onPool(t, func(s *stage, p *executor.ScheduledPool) {
		_, err := p.Apply(executor.Job{Name: "report", Task: s.run, On: every(6 * hour)})
		require.NoError(t, err)
		s.wall.Step(5 * hour)
		assert.Equal(t, []string{"01T06:00"}, s.after(hour))
	})
}
