package implicit

import "github.com/punctual-go/punctual/executor"

var jobs *executor.ScheduledPool

func work() {}
