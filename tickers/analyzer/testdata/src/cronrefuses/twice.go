// Package cronrefuses has schedulers of other libraries that cannot be pools.
package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func work() {}

type exported struct {
	Cron *cron.Cron
}

func newExported() exported {
	e := exported{Cron: cron.New()} // want `cron scheduler`
	e.Cron.AddFunc("* * * * *", work)
	e.Cron.Start()
	return e
}

func twice(again bool) {
	c := cron.New() // want `cron scheduler`
	if again {
		c = cron.New()
	}
	c.AddFunc("* * * * *", work)
	c.Start()
}

// The scheduler is made by somebody else.
func register(c *cron.Cron) {
	c.AddFunc("* * * * *", work) // want `cron job: robfig/cron, on a scheduler from elsewhere`
}

// apart adds its jobs when it is made, and starts later.
type apart struct {
	c *cron.Cron
}

func newApart() *apart {
	a := &apart{c: cron.New()} // want `cron scheduler`
	a.c.AddFunc("* * * * *", work)
	return a
}

func (a *apart) start() { a.c.Start() }
