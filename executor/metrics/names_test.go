package metrics_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestHostileNamesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1,
			executor.Watch(insight.Config{}), executor.Name("p\xff\n\"}"))
		names := []string{"a", "a\n# HELP", `"} 1`, "ü€𝄞", "\x00", "a\xff", "a\xfe", "a\uFFFD", "other"}
		for _, name := range names {
			_, err := p.Schedule(0, lasts(ms), executor.Name(name), executor.Unique(),
				executor.Expect(insight.SuccessWithin(time.Hour)))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		m := read(t, p)
		pool := "p\uFFFD\n\"}"
		for _, f := range m {
			for _, point := range f.Points {
				for _, a := range point.Attributes {
					assert.True(t, utf8.ValidString(a), "%q", a)
				}
			}
		}
		for _, name := range []string{"a", "a\n# HELP", `"} 1`, "ü€𝄞", "\x00", "other"} {
			assert.EqualValues(t, 1, point(t, m, "punctual.run.duration", pool, name).Histogram.Count())
		}
		joined := point(t, m, "punctual.run.duration", pool, "a\uFFFD").Histogram
		assert.EqualValues(t, 3, joined.Count(), "they look the same")
		assert.Equal(t, 3*ms, joined.Sum)
		assert.Equal(t, ms, joined.Max)
		late := point(t, m, "punctual.run.lateness", pool, "a\uFFFD").Histogram
		assert.Equal(t, 7*ms, late.Max)
	})
}

func TestSuccessesOfNamesThatLookTheSameAreTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Watch(insight.Config{}))
		var last time.Time
		for _, name := range []string{"\xfe", "\xff"} {
			_, err := p.Schedule(ms, lasts(0), executor.Name(name))
			require.NoError(t, err)
			_, err = p.Schedule(ms, fails, executor.Name(name))
			require.NoError(t, err)
			time.Sleep(ms)
			synctest.Wait()
			last = time.Now()
		}
		m := read(t, p)
		assert.Equal(t, float64(last.UnixNano())/1e9, value(t, m, "punctual.task.last_success", "", "\uFFFD"))
		assert.EqualValues(t, 2, value(t, m, "punctual.run.failures", "", "\uFFFD"))
	})
}

func TestThePointsOfManyNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Watch(insight.Config{}))
		for i := range 300 {
			_, err := p.AtFixedRate(0, time.Second, lasts(0), executor.Name(fmt.Sprintf("%03d", i)),
				executor.Expect(insight.SuccessWithin(time.Minute)))
			require.NoError(t, err)
		}
		time.Sleep(10 * time.Second)
		m := read(t, p)
		for _, name := range []string{"punctual.run.duration", "punctual.run.failures"} {
			assert.Len(t, m[name].Points, 202, "200 names, other, and none")
		}
		assert.Len(t, m["punctual.task.health"].Points, 201)
		assert.Zero(t, value(t, m, "punctual.task.health", "", "other"))
	})
}
