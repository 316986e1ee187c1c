// Package cron has as much of the first version as the tests need.
package cron

type Cron struct{}

func New() *Cron { return nil }

func (*Cron) AddFunc(spec string, cmd func()) error { return nil }
func (*Cron) Start()                                {}
func (*Cron) Stop()                                 {}
