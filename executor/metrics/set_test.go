package metrics_test

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/metrics"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
)

func TestOnlyThePoolLikeAreSources(t *testing.T) {
	for _, other := range []any{time.Second, new(url.URL), serial.New(executor.NewPool(1))} {
		_, is := other.(metrics.Source)
		assert.False(t, is, "%T", other)
	}
}

func TestOfASupervisorTheHealthIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := pooltest.NewPool(t, 1, executor.Name("pool"))
		s := supervisor.New(pool, pooltest.Nothing, executor.Name("lease"))
		m := read(t, pool, s)
		assert.EqualValues(t, 0, value(t, m, "punctual.pool.health", "lease"))
		assert.Len(t, m["punctual.pool.health"].Points, 2)
		assert.Len(t, m["punctual.worker.core"].Points, 1)
		s.Stop()
		assert.EqualValues(t, 2, value(t, read(t, s), "punctual.pool.health", "lease"), "it is down")
	})
}

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
			`metrics of two pools with the name "jobs"`:     {make("jobs"), make("mail"), loop},
			`metrics of two pools without a name`:           {make(""), make("")},
			"metrics of two pools with the name \"\uFFFD\"": {make("\xff"), make("\xfe")},
			`metrics of a nil pool`:                         {make(""), nil},
		} {
			_, err := metrics.Of(sources...)
			require.ErrorIs(t, err, executor.ErrInvalid)
			assert.ErrorContains(t, err, text)
		}
		_, err = metrics.Of((*executor.Pool)(nil))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}
