package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Faults at random: workers are killed and started, stopped for more or less than their lease and
// continued, servers are killed and started, tasks cancelled and series commanded, all at once.
// What the journals say is judged for each seed.
func TestFaultsAtRandom(t *testing.T) {
	if os.Getenv(forLong) == "" {
		t.Skip("only in the long set")
	}
	for seed := range 20 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			c := &chaos{nodes: startNodes(t, 3), random: rand.New(rand.NewPCG(uint64(seed), 1)),
				workers: map[string]*process{}}
			c.run(20)
		})
	}
}

// chaos is one trial with faults at random.
type chaos struct {
	*nodes
	random  *rand.Rand
	workers map[string]*process
	born    int
	fault   map[string]int
}

const chaosSeries = 10

func (c *chaos) run(steps int) {
	t := c.t
	ctx := testContext(t, 4*time.Minute)
	c.fault = map[string]int{}
	p, stranger := c.join(ctx), c.join(ctx)
	for range 3 {
		c.bear()
	}
	fs := c.scheduleMany(ctx, p, 100*steps, time.Second, time.Duration(steps)*time.Second)
	for range steps {
		time.Sleep(time.Duration(c.random.IntN(1500)) * time.Millisecond)
		switch what := c.random.IntN(10); {
		case what < 3:
			c.killWorker()
		case what < 6:
			c.stopWorker(time.Duration(500+c.random.IntN(4000)) * time.Millisecond)
		case what < 8:
			c.killServer()
		case what < 9:
			for range 20 {
				f := fs[c.random.IntN(len(fs))]
				_, err := f.Cancel(ctx)
				require.NoError(t, err)
			}
			c.fault["20 cancels"]++
		default:
			s, err := cluster.AttachSeries(p, c.tasks().tick, seriesName(c.random.IntN(chaosSeries)))
			require.NoError(t, err)
			require.NoError(t, s.Pause(ctx))
			require.NoError(t, s.Resume(ctx))
			c.fault["pause and resume"]++
		}
	}
	c.collect(ctx, fs, stranger)
	c.seriesGoOn()
	t.Logf("%v", c.fault)
	requireSound(t, c.dir)
}

func (c *chaos) bear() {
	c.born++
	name := fmt.Sprint("W", c.born)
	c.workers[name] = c.worker(workerConfig{Name: name, Series: chaosSeries, Period: time.Second,
		In: input{Sleep: 100 * time.Millisecond}, Workers: 16})
}

func (c *chaos) anyWorker() string {
	n := c.random.IntN(len(c.workers))
	for i := 1; i <= c.born; i++ {
		name := fmt.Sprint("W", i)
		if c.workers[name] == nil {
			continue
		}
		if n == 0 {
			return name
		}
		n--
	}
	panic("no worker")
}

func (c *chaos) killWorker() {
	name := c.anyWorker()
	c.workers[name].kill()
	delete(c.workers, name)
	c.bear()
	c.fault["worker killed"]++
}

func (c *chaos) stopWorker(d time.Duration) {
	w := c.workers[c.anyWorker()]
	w.stop()
	time.Sleep(d)
	w.cont()
	c.fault["worker stopped"]++
}

// killServer kills any of the three, and starts it again: two remain, which are a quorum.
func (c *chaos) killServer() {
	i := c.random.IntN(3)
	c.kill(i)
	time.Sleep(time.Duration(c.random.IntN(3000)) * time.Millisecond)
	c.start(i)
	time.Sleep(3 * time.Second) // it has to catch up before the next may die
	c.fault["server killed"]++
}

// seriesGoOn waits until each series has begun a run after now.
func (c *chaos) seriesGoOn() {
	now := time.Now()
	for i := range chaosSeries {
		await(c.t, c.dir, func(e event) bool {
			return e.Kind == "start" && e.Series == seriesName(i) && e.At.After(now)
		})
	}
}
