package cluster

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The sweep looks for what the server has forgotten: a message that is on the queue, and that the
// consumer of its task takes for acknowledged, so that it is not delivered any more. Nothing of the
// sort is there unless the server is at fault, so a look costs one question for each task. One
// process at a time does it, each sweepEvery.
//
//	young                            -> left
//	a task with an outcome           -> removed
//	a link with others behind it     -> removed, told and counted: they say how the series goes on
//	else                             -> healed: stored again and removed, told and counted
//
// All is asked of the leaders, and in this order: up to where the consumer takes all for
// acknowledged, what is on the queue below that, the outcomes. A server that is cut off and still
// believes to lead may answer wrongly. That does no harm: the new message is refused by any newer
// one of its task, and a worker asks for the outcome before it begins.
const (
	sweepEvery = 10 * time.Second
	// elections is for how long what is due is left alone beyond its lease.
	elections    = 10 * time.Second
	mostSwept    = 500 // messages looked at for each task
	sweepsAnHour = uint64(time.Hour / sweepEvery)
)

// sweep sweeps the queue until ctx ends.
func (p *Pool) sweep(ctx context.Context) {
	for sleep(ctx, sweepEvery); ctx.Err() == nil; sleep(ctx, sweepEvery) {
		if err := p.sweepOnce(ctx); err != nil && ctx.Err() == nil {
			p.logger.Warn("the queue could not be swept", "pool", p.settings.name, "error", err)
		}
	}
}

// sweepOnce sweeps the queue, if it is this process's turn. The record of the last turn changes by
// compare-and-set.
func (p *Pool) sweepOnce(ctx context.Context) error {
	last, turns, err := p.figure(ctx, figureSweeps)
	if err != nil || p.age(last.Time) < sweepEvery {
		return err
	}
	if err := p.setFigure(ctx, figureSweeps, turns+1, last.Sequence); err != nil {
		return unlessConflict(err) // another process's turn
	}
	consumers, err := p.consumers(ctx)
	if err != nil {
		return err
	}
	for _, info := range consumers {
		if !p.ofTask(info) {
			continue
		}
		if err := p.sweepTask(ctx, info); err != nil {
			return err
		}
	}
	if turns%sweepsAnHour == 0 {
		if err := p.forgetOld(ctx, ranPrefix, forgetRan); err != nil {
			return err
		}
		if err := p.forgetOld(ctx, auditPrefix, auditKept); err != nil {
			return err
		}
	}
	return p.keepCounting(ctx, consumers)
}

// sweepTask looks at what a consumer takes for acknowledged.
func (p *Pool) sweepTask(ctx context.Context, of *jetstream.ConsumerInfo) error {
	floor, old := of.AckFloor.Stream, p.now().Add(-of.Config.AckWait-elections)
	from := uint64(1)
	for range mostSwept {
		m, err := p.following(ctx, of.Config.FilterSubject, from)
		if err != nil || m == nil || m.Sequence > floor {
			return err
		}
		if m.Time.Before(old) && dueOf(m.Header).Before(old) {
			if err := p.heal(ctx, m); ctx.Err() != nil {
				return err
			} else if err != nil { // it must not keep the others from being looked at
				at := p.on.placeOf(m.Subject)
				p.logger.Warn("a forgotten message could not be looked at", "pool", p.settings.name,
					"task", nameOf(at.task()), "id", at.id(), "error", err)
			}
		}
		from = m.Sequence + 1
	}
	return nil
}
