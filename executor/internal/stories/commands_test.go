package stories_test

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// commands are all there are. What may follow them after a comma is in the tables of clauses.
var commands = []phrase[*command]{
	{"a pool of N worker|workers", (*command).makePool},
	{"a scheduled pool of N worker|workers", (*command).makeScheduledPool},
	{"a serial W", (*command).makeSerial},
	{"a serial for each key", (*command).makeKeyed},
	{"the clock shows W", (*command).showZone},

	{"execute W", func(c *command, a args) { c.submit(a.word(0), (*task).execute) }},
	{"submit W", func(c *command, a args) { c.submit(a.word(0), (*task).submit) }},
	{"submit W to W", func(c *command, a args) { c.submitTo(a.word(0), c.stage.lanes[a.word(1)]) }},
	{"submit W to the key W", func(c *command, a args) {
		c.submitTo(a.word(0), c.stage.keyed.For(a.word(1)))
	}},
	{"submit W and wait D for room", func(c *command, a args) {
		c.submit(a.word(0), submitWithin(a.time(1)))
	}},
	{"schedule W in D", func(c *command, a args) {
		c.submit(a.word(0), schedule(a.time(1)))
	}},
	{"schedule W in the serial W in D", func(c *command, a args) {
		c.submit(a.word(0), scheduleIn(a.word(1), a.time(2)))
	}},
	{"run W at a fixed rate of D", func(c *command, a args) {
		c.submit(a.word(0), atFixedRate(a.time(1)))
	}},
	{"run W with a fixed delay of D", func(c *command, a args) {
		c.submit(a.word(0), withFixedDelay(a.time(1)))
	}},
	{"run W on W in W", func(c *command, a args) {
		zone, err := time.LoadLocation(a.word(2))
		require.NoError(c.stage.t, err)
		calendar := cron.MustParse(a.word(1), cron.Zone(zone))
		c.submit(a.word(0), on(calendar))
	}},
	{"there is a task W", func(c *command, a args) { c.submit(a.word(0), nil) }},

	{"wait D", func(c *command, a args) { time.Sleep(a.time(0)) }},
	{"wait until W", (*command).waitUntil},

	{"cancel W", func(c *command, a args) {
		c.answer(func() bool { return c.stage.task(a.word(0)).future().Cancel() })
	}},
	{"cancel W because of W", func(c *command, a args) {
		cause := errors.New(a.word(1))
		c.answer(func() bool { return c.stage.task(a.word(0)).future().CancelCause(cause) })
	}},
	{"stop W", func(c *command, a args) {
		c.answer(func() bool { return c.stage.task(a.word(0)).future().Stop() })
	}},
	{"pause W", func(c *command, a args) { c.answer(c.stage.task(a.word(0)).handle().Pause) }},
	{"resume W", func(c *command, a args) { c.answer(c.stage.task(a.word(0)).handle().Resume) }},
	{"trigger W", func(c *command, a args) { c.answer(c.stage.task(a.word(0)).handle().Trigger) }},
	{"reset W to D", func(c *command, a args) {
		c.answer(func() bool { return c.stage.task(a.word(0)).handle().Reset(a.time(1)) })
	}},
	{"set the period of W to D", func(c *command, a args) {
		task := c.stage.task(a.word(0))
		c.call(func() string { return result(task.handle().SetPeriod(a.time(1))) })
	}},
	{"get W", (*command).get},
	{"await the end of W", (*command).awaitStopped},
	{"look up W", (*command).lookUp},

	{"pause the pool", func(c *command, a args) { c.stage.act(c.stage.pool.Pause) }},
	{"resume the pool", func(c *command, a args) { c.answer(c.stage.pool.Resume) }},
	{"set the core size to N", func(c *command, a args) {
		c.call(func() string { return result(c.stage.pool.SetCoreSize(a.number(0))) })
	}},
	{"drain", func(c *command, a args) {
		c.call(func() string { return handed(c.stage.pool.Drain()) })
	}},
	{"shutdown", func(c *command, a args) { c.stage.act(c.stage.pool.Shutdown) }},
	{"shutdown now", func(c *command, a args) {
		c.call(func() string { return handed(c.stage.pool.ShutdownNow()) })
	}},
	{"close", func(c *command, a args) {
		c.call(func() string { return result(c.stage.pool.Close()) })
	}},
	{"close within D", (*command).closeWithin},
	{"await termination", func(c *command, a args) {
		c.call(func() string { return result(c.stage.pool.AwaitTermination(context.Background())) })
	}},
	{"keep the pool open for D and then D longer", (*command).run},
	{"apply", (*command).apply},

	{"stats", func(c *command, a args) { c.show(figures(c.stage.pool.Stats())) }},
	{"queued", func(c *command, a args) {
		c.show("queued: " + c.stage.listed(c.stage.pool.Queued()))
	}},
	{"status of W", (*command).status},
}
