package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Each process looks after the pools that it has joined. What it looks for would show as silence
// otherwise: nobody answers for a stream that is deleted, as when there is no leader, and nothing
// new comes from one that was made anew.
const watchEvery = 10 * time.Second

// watchOver looks after the pool until this process's part ends, or the connection is closed.
func (p *Pool) watchOver() {
	for {
		select {
		case <-time.After(watchEvery*3/4 + rand.N(watchEvery/4)):
		case <-p.results.over:
			return
		}
		if p.intact(p.part.life) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(p.part.life, watchEvery)
		if err := p.findGone(ctx); err != nil && ctx.Err() == nil {
			p.logger.Debug("open futures not looked at", "pool", p.settings.name, "error", err)
		}
		cancel()
	}
}

// madeAt tells when streams were made, by their names.
func madeAt(streams ...jetstream.Stream) map[string]time.Time {
	made := map[string]time.Time{}
	for _, s := range streams {
		made[s.CachedInfo().Config.Name] = s.CachedInfo().Created
	}
	return made
}

// intact returns ErrShape if a stream has been deleted or made anew, ErrProtocol if the pool is of
// a later one, and ErrMoved if it has been moved. Then this process's part is lost. A server that
// has just started may not know yet what it has, so it is asked again.
func (p *Pool) intact(ctx context.Context) (err error) {
	for range 3 {
		if err = p.look(ctx); err == nil {
			return nil
		}
		if sleep(ctx, 500*time.Millisecond); ctx.Err() != nil {
			return nil
		}
	}
	if p.part.life != nil && p.part.open() == nil {
		p.logger.Error("this process has lost its part in the pool", "pool", p.settings.name,
			"error", err)
		p.part.lose(err)
	}
	return err
}

// look asks for the streams once. No answer is none.
func (p *Pool) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for name, made := range p.made {
		now, err := p.js.Stream(ctx, name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return fmt.Errorf("%w: stream %s has been deleted", ErrShape, name)
		case err != nil:
			return nil
		case !now.CachedInfo().Created.Equal(made):
			return fmt.Errorf("%w: stream %s has been made anew", ErrShape, name)
		}
		if err := checkMoved(now.CachedInfo().Config); err != nil {
			return err
		}
		if name == p.streamName() {
			if err := checkProtocol(now.CachedInfo().Config); err != nil {
				return err
			}
		}
	}
	return nil
}
