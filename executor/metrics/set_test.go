package metrics_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/metrics"
)

// strange is no pool.
type strange struct{}

func (strange) Measurements() (m executor.Measurements) { return m }
func (strange) Health() (h executor.Health)             { return h }

func TestPoolsOfOneNameAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		make := func(name string) *executor.Pool {
			p := executor.NewPool(1, executor.Name(name))
			t.Cleanup(func() { assert.NoError(t, p.Close()) })
			return p
		}
		loop := eventloop.New(executor.Name("jobs"))
		defer loop.Close()

		set, err := metrics.Of(make("jobs"), make(""), make("mail"))
		require.NoError(t, err)
		assert.Equal(t, []string{"jobs", "", "mail"}, set.Pools())

		for text, sources := range map[string][]metrics.Source{
			`metrics of two pools with the name "jobs"`:                               {make("jobs"), make("mail"), loop},
			`metrics of two pools without a name`:                                     {make(""), make("")},
			"metrics of two pools with the name \"\uFFFD\"":                           {make("\xff"), make("\xfe")},
			`metrics of a nil pool`:                                                   {make(""), nil},
			`metrics of a metrics_test.strange, which has no Stats of a pool or loop`: {strange{}},
		} {
			_, err := metrics.Of(sources...)
			require.ErrorIs(t, err, executor.ErrInvalid)
			assert.ErrorContains(t, err, text)
		}
		_, err = metrics.Of((*executor.Pool)(nil))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}
