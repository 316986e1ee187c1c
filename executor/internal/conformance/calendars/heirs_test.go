package calendars_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func TestAJobThatIsReplacedDuringARun(t *testing.T) {
	replace := func(t *testing.T, during func(s *stage, p *executor.ScheduledPool), want []string) {
		onPool(t, func(s *stage, p *executor.ScheduledPool) {
			_, err := p.Apply(executor.Job{Name: "j", On: every(hour), Task: func(context.Context) error {
				time.Sleep(90 * time.Minute)
				return nil
			}})
			require.NoError(t, err)
			s.after(hour + time.Minute)
			_, err = p.Apply(executor.Job{Name: "j", On: every(2 * hour), Task: s.run})
			require.NoError(t, err)
			during(s, p)
			assert.Equal(t, want, s.after(4*hour))
			p.ShutdownNow()
			s.addsUp()
		})
	}
	nothing := func(*stage, *executor.ScheduledPool) {}
	replace(t, nothing, []string{"01T02:30 for 01T02:00", "01T04:00"})
	replace(t, func(s *stage, _ *executor.ScheduledPool) { s.wall.Step(2 * hour) },
		[]string{"01T04:30 for 01T04:00 missed 1", "01T06:00"})
	replace(t, func(s *stage, _ *executor.ScheduledPool) { s.wall.Step(-5 * hour) },
		[]string{"31T22:00", "01T00:00"})
	replace(t, func(s *stage, p *executor.ScheduledPool) {
		h, ok := p.Lookup("j")
		require.True(t, ok)
		require.True(t, h.Pause())
		s.after(2 * hour)
		require.True(t, h.Resume())
	}, []string{"01T04:00 missed 1", "01T06:00"})
	replace(t, func(s *stage, p *executor.ScheduledPool) { p.ShutdownNow() }, nil)
}
