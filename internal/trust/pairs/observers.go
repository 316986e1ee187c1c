package pairs

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// observerFields are the fields of an Observer. Each is set alone, so that a field that works only
// beside another shows.
var observerFields = []*definition{
	observing("Submitted", everyWay, nil, func(o *executor.Observer, told func(executor.Run)) {
		o.Submitted = told
	}),
	observing("Rejected", everyWay, shapeRejected,
		func(o *executor.Observer, told func(executor.Run)) {
			o.Rejected = func(run executor.Run, _ error) { told(run) }
		}),
	observing("Began", everyWay, nil, func(o *executor.Observer, told func(executor.Run)) {
		o.Began = func(ctx context.Context, run executor.Run) context.Context {
			told(run)
			if run.Number%2 == 0 {
				return nil
			}
			return context.WithValue(ctx, beganKey{}, run.Number)
		}
	}),
	observing("Late", everyWay, func(d *draft, t *task, _ *use) { d.crowdDuring(t) },
		func(o *executor.Observer, told func(executor.Run)) {
			o.Late = func(_ context.Context, run executor.Run, _ insight.Lateness) { told(run) }
		}),
	observing("Missed", rateWays, func(d *draft, t *task, _ *use) { d.crowdDuring(t) },
		func(o *executor.Observer, told func(executor.Run)) { o.Missed = told }),
	observing("Overran", optionWays, func(d *draft, t *task, _ *use) {
		d.include(byName["Timeout"],
			t)
	},
		func(o *executor.Observer, told func(executor.Run)) { o.Overran = told }),
	observing("Ended", everyWay, nil, func(o *executor.Observer, told func(executor.Run)) {
		o.Ended = func(_ context.Context, run executor.Run, _ error) { told(run) }
	}),
	observing("Expired", optionWays,
		func(d *draft, t *task, _ *use) { d.include(byName["BeginWithin"], t) },
		func(o *executor.Observer, told func(executor.Run)) { o.Expired = told }),
	observing("Cancelled", futureWays, func(d *draft, t *task, _ *use) {
		d.include(byName[d.oneOf("Cancel", "CancelCause", "Stop", "Withdraw")], t)
	}, func(o *executor.Observer, told func(executor.Run)) { o.Cancelled = told }),
	observing("Dropped", everyWay, shapeDropped,
		func(o *executor.Observer, told func(executor.Run)) {
			o.Dropped = func(run executor.Run, _ error) { told(run) }
		}),
	observing("Paused", seriesWays, func(d *draft, t *task, _ *use) {
		d.include(byName[d.oneOf("Pause", "PauseAfter")], t)
	}, func(o *executor.Observer, told func(executor.Run)) { o.Paused = told }),
	observing("Resumed", seriesWays, func(d *draft, t *task, _ *use) {
		d.include(byName["Resume"],
			t)
	},
		func(o *executor.Observer, told func(executor.Run)) { o.Resumed = told }),
}

type beganKey struct{}

// observing is the feature of one field.
func observing(
	field string, on ways, shape func(*draft, *task, *use),
	set func(o *executor.Observer, told func(executor.Run)),
) *definition {
	return &definition{
		Feature: Feature{
			Name: "Observer." + field, API: []string{"Observer." + field, "executor.Observe"},
			ways: on, callback: true,
		},
		shape: shape,
		option: func(l *life, u *use) opts {
			var o executor.Observer
			set(&o, func(run executor.Run) { l.called(u.Feature, run.Name) })
			return opts{executor.Observe(o)}
		},
	}
}

// shapeRejected has the task come after the end of the executor, or when there is no room.
func shapeRejected(d *draft, t *task, _ *use) {
	if d.host == loop || d.rng.IntN(2) == 0 {
		d.endAt = t.at - ms
		return
	}
	d.include(byName["PendingLimit"], t)
}

// shapeDropped has the executor end while the task waits, or some of several do.
func shapeDropped(d *draft, t *task, _ *use) {
	d.endDuring(t)
	if t.way.way&bulkWays != 0 {
		t.at -= 3 * ms
		t.takes = 25 * ms
	}
}
