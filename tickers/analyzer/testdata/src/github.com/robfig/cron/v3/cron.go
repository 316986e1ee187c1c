// Package cron has as much of the real one as the tests need.
package cron

import (
	"context"
	"time"
)

type (
	Cron       struct{}
	EntryID    int
	Entry      struct{}
	Option     func(*Cron)
	Job        interface{ Run() }
	JobWrapper func(Job) Job
	Logger     interface{ Info(string) }
	Schedule   interface{ Next(time.Time) time.Time }
)

var DefaultLogger, DiscardLogger Logger

func New(opts ...Option) *Cron { return nil }

func WithLocation(*time.Location) Option    { return nil }
func WithSeconds() Option                   { return nil }
func WithChain(w ...JobWrapper) Option      { return nil }
func WithLogger(Logger) Option              { return nil }
func SkipIfStillRunning(Logger) JobWrapper  { return nil }
func DelayIfStillRunning(Logger) JobWrapper { return nil }
func Recover(Logger) JobWrapper             { return nil }

func (*Cron) AddFunc(spec string, cmd func()) (EntryID, error) { return 0, nil }
func (*Cron) AddJob(spec string, cmd Job) (EntryID, error)     { return 0, nil }
func (*Cron) Schedule(s Schedule, cmd Job) EntryID             { return 0 }
func (*Cron) Entries() []Entry                                 { return nil }
func (*Cron) Remove(EntryID)                                   {}
func (*Cron) Start()                                           {}
func (*Cron) Run()                                             {}
func (*Cron) Stop() context.Context                            { return nil }
