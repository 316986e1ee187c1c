package driver

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// kind is a kind of work.
type kind struct {
	name    string
	needs   ability  // one of them
	sizes   []string // the first must be positive, as must all of those
	waits   []string // times, which may be 0
	waiting string   // the size that tells how many tasks wait at once; "" if they are few
	round   func(w work) (workload.Figures, error)
}

// work is one round of a kind.
type work struct {
	context.Context
	System
	sizes workload.Params
	quiet func() // is called when the quiet time begins; nil if the round is to warm up
}

// kinds returns all kinds, in the order of package workload.
func kinds() []kind {
	return []kind{
		{"schedule-cancel", schedules, []string{"pending", "ops"}, nil, "pending", scheduleCancel},
		{"pairs", schedules, []string{"pending", "ops", "goroutines"}, nil, "pending", pairs},
		{"timeouts", schedules, []string{"servers", "ops"}, nil, "", timeouts},
		{"soon", schedules, []string{"n"}, nil, "n", soon},
		{"due", schedules, []string{"n", "lead_ms"}, nil, "n", due},
		{"execute", submits, []string{"batch", "batches"}, nil, "", execute},
		{"producers", submits, []string{"batch", "batches", "producers"}, nil, "", produce},
		{"submit-get", submits, []string{"ops"}, nil, "", submitGet},
		{"askers", submits, []string{"ops", "askers"}, nil, "", askers},
		{"fan-out", submits, []string{"ops", "width"}, nil, "", fanOut},
		{"bounded", bounds, []string{"batch", "batches", "producers", "capacity"}, nil, "", bounded},
		{"service", serves, []string{"batch", "batches", "series"}, nil, "series", service},
		{"lateness", repeats, []string{"n", "period_us", "for_ms"}, nil, "n", evenRates},
		{"mixed", repeats, []string{"n", "period_us", "for_ms"}, nil, "n", mixedRates},
		{"served", tells, []string{"n", "period_us", "for_ms"}, nil, "n", servedRates},
		{"busy", repeats, []string{"n", "period_us", "for_ms", "busy"}, nil, "n", busy},
		{"cancelled", schedules, []string{"n", "lead_ms"}, []string{"permille"}, "n", cancelled},
		{"pending", schedules, []string{"n"}, nil, "n", pending},
		{"allocations", schedules | repeats, []string{"n"}, nil, "", allocations},
		{"idle", schedules, []string{"n"}, []string{"settle_ms", "for_ms"}, "n", idle},
		{"pools", opens, []string{"pools"}, nil, "", pools},
		{"shutdown", schedules, []string{"n"}, nil, "n", shutdown},
	}
}

func (w work) count(size string) int { return int(w.sizes[size]) }

func (w work) millis(size string) time.Duration {
	return time.Duration(w.sizes[size]) * time.Millisecond
}

// sleep waits, without waking up in between.
func (w work) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-w.Done():
		return context.Cause(w)
	}
}
