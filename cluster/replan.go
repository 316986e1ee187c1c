package cluster

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// replan brings the series of tasks nearer whenever the server's clock was set back, until ctx ends:
// those at a rate, or with a delay, that wait for a time which their cadence does not have, see
// inReach. All who serve do so, each once it has noticed. So nothing is left that one of them has
// stored by the clock as it was; and who comes later finds nothing to do.
func (p *Pool) replan(ctx context.Context, defs []*definition) {
	for {
		select {
		case <-p.clock.back:
		case <-ctx.Done():
			return
		}
		for _, def := range defs {
			if err := p.replanTask(ctx, def); err != nil && ctx.Err() == nil {
				p.logger.Warn("series could not be planned anew for a clock that was set back",
					"pool", p.settings.name, "task", def.name, "error", err)
			}
		}
	}
}

// replanTask looks at each series of a task that waits: one question for each.
func (p *Pool) replanTask(ctx context.Context, def *definition) error {
	info, err := p.stream.Info(ctx, jetstream.WithSubjectFilter(p.on.armedSeries(def.name)))
	if err != nil {
		return explained(err)
	}
	var all error
	for subject := range info.State.Subjects {
		at := p.on.placeOfAny(subject)
		if err := p.change(ctx, at, func(newest *jetstream.RawStreamMsg) (*nats.Msg, error) {
			return p.replanned(at, newest)
		}); err != nil {
			all = errors.Join(all, err) // the others do not wait for it
		}
	}
	return all
}

// replanned is the command that brings a series nearer; nil if it is in reach.
func (p *Pool) replanned(at place, newest *jetstream.RawStreamMsg) (*nats.Msg, error) {
	st, err := p.read(at, newest)
	now := p.now()
	if err != nil || !st.exists || st.queued || !st.link.outOfReach(now) {
		return nil, err
	}
	l := st.link.inReach(now)
	l.do = doArm
	p.logger.Info("series planned anew, as the server's clock was set back", "pool",
		p.settings.name, "series", l.name, "number", l.number, "due", l.due)
	m := p.command(at)
	m.Data = st.payload
	l.write(m.Header)
	return m, nil
}
