package otelpunctual

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func attributesOfRun(ctx context.Context, r executor.Run) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, 8)
	if name := poolOf(ctx); name != "" {
		list = append(list, attribute.String("punctual.pool.name", name))
	}
	if r.Name != "" {
		list = append(list, attribute.String("punctual.task.name", valid(r.Name)))
	}
	list = append(list, attribute.Int64("punctual.run.number", int64(r.Number)))
	if !r.Started.IsZero() && !r.Scheduled.IsZero() {
		list = append(list, seconds("punctual.run.lateness", max(r.Started.Sub(r.Scheduled), 0)))
	}
	if r.Missed > 0 {
		list = append(list, attribute.Int64("punctual.run.missed", int64(r.Missed)))
	}
	if r.Attempt > 0 {
		list = append(list, attribute.Int64("punctual.run.attempt", int64(r.Attempt)))
	}
	if r.Triggered {
		list = append(list, attribute.Bool("punctual.run.triggered", true))
	}
	return list
}

// attributesOfLateness also corrects how late the run is: what has been missed counts.
func attributesOfLateness(l insight.Lateness) []attribute.KeyValue {
	list := []attribute.KeyValue{seconds("punctual.run.lateness", l.Total)}
	for _, part := range []struct {
		name string
		time time.Duration
	}{
		{"clock", l.Clock}, {"previous", l.Previous}, {"held", l.Held}, {"busy", l.Busy},
		{"queue", l.Queue}, {"slack", l.Slack}, {"wake", l.Wake},
	} {
		if part.time > 0 {
			list = append(list, seconds("punctual.run.late."+part.name, part.time))
		}
	}
	var holders []string
	for _, h := range l.Holders {
		holders = append(holders, fmt.Sprintf("%s#%d", valid(h.Name), h.Number))
	}
	if holders != nil {
		list = append(list, attribute.StringSlice("punctual.run.late.holders", holders))
	}
	return list
}

func seconds(name string, d time.Duration) attribute.KeyValue {
	return attribute.Float64(name, d.Seconds())
}
