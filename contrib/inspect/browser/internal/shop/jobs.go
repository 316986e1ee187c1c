package shop

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/runlog"
	"github.com/punctual-go/punctual/timer/cron"
)

const ms = time.Millisecond

func (s *Shop) start(cardsFail bool) error {
	if err := s.startJobs(cardsFail); err != nil {
		return err
	}
	if err := s.startImports(); err != nil {
		return err
	}
	for i := range 3 { // one runs, and two fill the queue
		name := executor.Name("order confirmation " + strconv.Itoa(i+1))
		if err := s.Mail.Execute(s.hang, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shop) startJobs(cardsFail bool) error {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	charge := ok
	if cardsFail {
		charge = chargeCards
	}
	job := func(name string, d time.Duration, task executor.Task, o ...executor.TaskOption) executor.Job {
		return executor.Job{Name: name, Task: task, Initial: 100 * ms, Rate: d, Options: o}
	}
	_, err = s.Jobs.Apply(
		job("parse prices", 300*ms, parsePrices),
		job("fetch rates", 400*ms, fetchRates),
		job("charge cards", 400*ms, charge),
		job("sync stock", time.Second, s.syncStock, executor.Timeout(time.Second)),
		job("queue mails", 200*ms, s.queueMails),
		job("reconcile", time.Minute, ok),
		job("refresh cache", 500*ms, ok),
		job("clean sessions", 700*ms, ok),
		executor.Job{Name: "export orders", Task: exportOrders, Every: 100 * ms},
		// The night in which the clocks change: 02:30 comes twice in October, and not in March.
		executor.Job{Name: "nightly report", Task: ok,
			On: cron.MustParse("30 2 * 3,10 SUNL", cron.Zone(berlin))},
	)
	return err
}

func (s *Shop) startImports() error {
	for _, customer := range []string{"Ångström AB", "a customer with a rather long name"} {
		if _, err := s.Imports.Schedule(0, s.hang, executor.Name("import of "+customer)); err != nil {
			return err
		}
	}
	_, err := s.Imports.AtFixedRate(50*ms, time.Second, ok, executor.Name("import prices"))
	return err
}

func ok(context.Context) error { return nil }

func parsePrices(context.Context) error { panic(`no digits in "n/a"`) }

func fetchRates(context.Context) error {
	return errors.New("GET https://rates.example/v1/eur: 502 Bad Gateway")
}

func chargeCards(context.Context) error {
	return fmt.Errorf("charge order 17: %w", errors.New("no column \"currency\" in table \"payments\""))
}

// exportOrders takes longer than its period.
func exportOrders(context.Context) error { time.Sleep(600 * ms); return nil }

// syncStock heeds no context, so it goes on beyond its timeout.
func (s *Shop) syncStock(ctx context.Context) error {
	runlog.Progress(ctx, 120, 800, "articles")
	s.log.InfoContext(ctx, "waiting for the warehouse", "host", "warehouse-2")
	return s.waitForWarehouse()
}

func (s *Shop) waitForWarehouse() error { <-s.held; return nil }

func (s *Shop) hang(context.Context) error { <-s.held; return nil }

// queueMails loses mails: it does not look at the error.
func (s *Shop) queueMails(context.Context) error {
	_ = s.Mail.Execute(ok, executor.Name("newsletter"))
	return nil
}
