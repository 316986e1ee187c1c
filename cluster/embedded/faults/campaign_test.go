package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// campaign is one trial with faults at random.
//
//	begun -> under faults, for as long as it lasts -> healed -> collected -> ended -> judged
type campaign struct {
	*nodes
	seed    uint64
	lasts   time.Duration
	drawing uint64
	planted bool // the server's known fault, see plant

	fleet      *fleet
	series     *commander
	submitters []*submitter
}

const (
	workersAtOnce = 4
	submitters    = 3
	bombs         = 2 // tasks that kill their process
)

func (c *campaign) run(t *testing.T) {
	ctx := testContext(t, c.lasts+4*time.Minute)
	defer c.explain()
	c.begin(ctx, t)
	over := time.Now().Add(c.lasts)
	var all sync.WaitGroup
	for i, s := range c.submitters {
		all.Go(func() { s.run(ctx, over, c.verbsOf(i)) })
	}
	all.Go(func() { c.series.run(ctx, over) })
	servers, workers := c.dice(), c.dice()
	all.Go(func() { c.harmServers(ctx, over, servers) })
	all.Go(func() { c.harmWorkers(over, workers) })
	all.Wait()
	c.awaitWhole(ctx)
	c.collect(ctx)
	c.series.end(ctx)
	c.awaitEmpty(ctx)
	c.fleet.end()
	c.judge()
}

func (c *campaign) begin(ctx context.Context, t *testing.T) {
	c.nodes = startWiredNodes(t)
	c.gather(ctx)
	for range submitters {
		s := c.submitter(ctx, c.dice())
		if c.planted {
			s.ends = c.plant()
		}
		c.submitters = append(c.submitters, s)
	}
	c.series = c.commander(ctx, c.dice())
	c.fleet = &fleet{nodes: c.nodes, series: c.series, random: c.dice()}
	for range workersAtOnce {
		c.fleet.bear()
	}
	for i := range workersAtOnce {
		c.awaitReady(fmt.Sprint("W", i+1))
	}
	c.awaitWhole(ctx)
}

// gather waits until the three servers know each other: until then there is no pool on three.
func (ns *nodes) gather(ctx context.Context) {
	ns.t.Helper()
	nc := ns.connected(ctx)
	for {
		p, err := cluster.Join(ctx, nc, cluster.Replicas(len(ns.configs)))
		if err == nil {
			p.Close()
			return
		}
		require.NoError(ns.t, ctx.Err(), err)
		time.Sleep(50 * time.Millisecond)
	}
}

// explain says what can be known if the campaign has failed, and ends what would go on.
func (c *campaign) explain() {
	if c.fleet != nil {
		c.fleet.close()
	}
	if c.nodes == nil || !c.t.Failed() {
		return
	}
	v := judge(c.t, c.dir)
	c.t.Logf("seed %d has failed: %s; %v\n%s", c.seed, c.faults(), v, strings.Join(v.details, "\n"))
	ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
	defer done()
	js := jetStream(c.t, c.nodes)
	for _, task := range []string{"work", "tick", "bomb", "push"} {
		consumer, err := js.Consumer(ctx, "PUNCTUAL_tasks", task)
		if err == nil {
			c.t.Logf("consumer of %s: %+v", task, *consumer.CachedInfo())
		}
	}
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	if err != nil {
		return
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.>"))
	if err == nil {
		c.t.Logf("queue: %+v, of %+v", info.State, *info.Cluster)
	}
}

// verbsOf are those of a submitter. The first one has bombs as well, and the last one leaves and
// joins again.
func (c *campaign) verbsOf(i int) []verb {
	verbs := slices.Clone(taskVerbs)
	if c.planted { // the server forgets nothing above a message that stays for long
		verbs = slices.DeleteFunc(verbs, func(v verb) bool { return v.name == farAway })
	}
	left := bombs
	if i == 0 {
		verbs = append(verbs, verb{"bomb", 1, func(s *submitter, ctx context.Context) {
			if left--; left >= 0 {
				s.submit(ctx, s.soon(), s.bomb, input{Do: "exit"})
			}
		}})
	}
	if i == submitters-1 {
		verbs = append(verbs, verb{"rejoin", 1, (*submitter).rejoin})
	}
	return verbs
}

// kinds are the names of faults, in an order that is always the same.
func kinds[F any](faults map[string]F) []string { return slices.Sorted(maps.Keys(faults)) }

// harmServers harms one server after the other.
func (c *campaign) harmServers(ctx context.Context, over time.Time, random *rand.Rand) {
	for {
		time.Sleep(upTo(random, 200*time.Millisecond, 2*time.Second))
		if time.Now().After(over) {
			return
		}
		all := kinds(serverFaults)
		kind, i := all[random.IntN(len(all))], random.IntN(3)
		if kind == leaderKilled {
			i = c.leader(ctx)
		}
		c.harm(ctx, kind, i, random)
	}
}

func (c *campaign) harmWorkers(over time.Time, random *rand.Rand) {
	var all sync.WaitGroup
	defer all.Wait()
	for time.Now().Before(over) {
		time.Sleep(upTo(random, 200*time.Millisecond, 2500*time.Millisecond))
		names := kinds(workerFaults)
		kind, d := names[random.IntN(len(names))], upTo(random, 500*time.Millisecond, 5*time.Second)
		all.Go(func() { c.fleet.harm(kind, d) })
	}
}

// collect has all observers write down the outcomes.
func (c *campaign) collect(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, time.Minute)
	defer done()
	stranger := c.join(ctx)
	var all sync.WaitGroup
	for _, s := range c.submitters { // at once: what has no outcome must not hide what has one
		all.Go(func() { s.collect(ctx, stranger) })
	}
	all.Wait()
	require.NoError(c.t, ctx.Err(), "some have no outcome")
	c.readFailed(ctx, stranger)
	stats, err := stranger.Stats(ctx)
	require.NoError(c.t, err)
	if !c.planted {
		require.Zero(c.t, stats.Healed, "the queue has lost what was accepted")
		return
	}
	c.t.Logf("seed %d: %d healed", c.seed, stats.Healed)
	require.Positive(c.t, stats.Healed)
	told := 0
	for _, e := range readJournals(c.t, c.dir) {
		if e.Kind == "log" && e.Text == toldForgotten {
			told++
		}
	}
	require.GreaterOrEqual(c.t, told, int(stats.Healed))
}

// readFailed writes down what is in the failed set.
func (c *campaign) readFailed(ctx context.Context, p *cluster.Pool) {
	for after := uint64(0); ; {
		page, err := p.Failed(ctx, cluster.FailedFilter{}, after, 0)
		require.NoError(c.t, err)
		for _, f := range page.Rows {
			c.journal.write(event{Kind: "kept", ID: f.ID})
		}
		if after = page.Next; after == 0 {
			break
		}
	}
	c.journal.write(event{Kind: "kept", ID: theSet})
}

// awaitEmpty waits until nothing is left on the queue. What was submitted for later, and whose
// submission had no answer, nobody can cancel: it runs at its time.
func (c *campaign) awaitEmpty(ctx context.Context) {
	js := jetStream(c.t, c.nodes)
	for queued(js) != 0 {
		require.NoError(c.t, ctx.Err(), "the queue is not empty")
		time.Sleep(50 * time.Millisecond)
	}
}

// judge says in one line how it was.
func (c *campaign) judge() {
	v := judge(c.t, c.dir)
	verdict := "sound"
	if sins := v.sins(); len(sins) > 0 {
		verdict = fmt.Sprint("NOT SOUND: ", sins)
	}
	c.t.Logf("seed %d: %d accepted, %d cancelled; %s; %d of %d executed twice or more (%.1f %%); "+
		"%d without an answer; %s", c.seed, v.Accepted, v.Cancelled, c.faults(), v.Repeated,
		v.Distinct, 100*float64(v.Repeated)/float64(max(v.Distinct, 1)),
		v.Uncertain, verdict)
	requireSound(c.t, c.dir)
}

// faults are the faults by their kinds.
func (c *campaign) faults() string {
	n := map[string]int{}
	for _, e := range readJournals(c.t, c.dir) {
		if e.Kind == "fault" {
			n[e.Text]++
		}
	}
	var all []string
	for _, kind := range kinds(n) {
		all = append(all, fmt.Sprint(kind, " ", n[kind]))
	}
	return strings.Join(all, ", ")
}
