package stories_test

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
)

// command is a command of a story that is being performed.
type command struct {
	stage   *stage
	text    string
	clauses []string // taken out by those that know what they mean
	err     error
}

// call calls the pool, and shows what comes of it.
func (c *command) call(f func() string) { c.stage.call(c.text, f) }

// answer calls the pool, which answers yes or no.
func (c *command) answer(f func() bool) {
	c.call(func() string {
		if f() {
			return "true"
		}
		return "false"
	})
}

// show is a line about the present.
func (c *command) show(text string) { c.stage.trace.see("", other, "%s", text) }

// take returns the clauses, which must all be known.
func take[S any](c *command, phrases []phrase[S], subject S) {
	for _, clause := range c.clauses {
		if err := say(phrases, clause, subject); err != nil && c.err == nil {
			c.err = err
		}
	}
	c.clauses = nil
}

func (c *command) waitUntil(a args) {
	t, err := time.ParseInLocation("2006-01-02 15:04", a.word(0), c.stage.trace.zone)
	require.NoError(c.stage.t, err)
	time.Sleep(time.Until(t))
}

func (c *command) showZone(a args) {
	zone, err := time.LoadLocation(a.word(0))
	require.NoError(c.stage.t, err)
	c.stage.trace.zone = zone
}

func (c *command) get(a args) {
	f := c.stage.task(a.word(0)).future()
	c.call(func() string {
		if _, err := f.Get(context.Background()); err != nil {
			return result(err)
		}
		return "no error"
	})
}

func (c *command) awaitStopped(a args) {
	f := c.stage.task(a.word(0)).future()
	c.call(func() string { <-f.Stopped(); return "" })
}

func (c *command) lookUp(a args) {
	c.call(func() string {
		if h, ok := c.stage.pool.Lookup(a.word(0)); ok {
			return h.Name() + ", " + h.State().String()
		}
		return "nothing"
	})
}

func (c *command) closeWithin(a args) {
	c.call(func() string {
		ctx, cancel := context.WithTimeout(context.Background(), a.time(0))
		defer cancel()
		report, err := c.stage.pool.CloseContext(ctx)
		said := "dropped " + handed(report.Dropped) + "; running "
		for _, r := range report.Running {
			said += r.Name + " "
		}
		if len(report.Running) == 0 {
			said += "nothing "
		}
		return said + "(" + errorText(err) + ")"
	})
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return result(err)
}

func (c *command) run(a args) {
	c.call(func() string {
		ctx, cancel := context.WithTimeout(context.Background(), a.time(0))
		defer cancel()
		return errorText(c.stage.pool.Run(ctx, a.time(1)))
	})
}

func (c *command) status(a args) {
	s := c.stage.task(a.word(0)).handle().Status()
	text := a.word(0) + " is " + s.State.String()
	if s.Paused {
		text += ", paused"
	}
	if !s.Next.IsZero() {
		text += ", next at " + c.stage.trace.shown(s.Next)
	}
	c.show(text)
}

// apply applies the jobs that its clauses name.
func (c *command) apply(args) {
	j := &jobs{stage: c.stage}
	take(c, jobClauses, j)
	c.call(func() string {
		changes, err := c.stage.scheduled.Apply(j.list...)
		return changesText(changes, err)
	})
}
