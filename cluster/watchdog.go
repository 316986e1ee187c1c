package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Each process looks after the pools that it has joined. What it looks for would show as silence
// otherwise: nobody answers for a stream that is deleted, as when there is no leader, and nothing
// new comes from one that was made anew.
const watchEvery = 10 * time.Second

// protocol is the number of what is stored, and of how processes go on with what others have
// stored. It grows with each change that code of before would get wrong. The stream of a pool
// carries it; one without is of the first.
const (
	protocol    = 1
	protocolKey = "punctual.protocol"
)

// checkProtocol returns ErrProtocol for a stream of a protocol that this code does not know.
func checkProtocol(config jetstream.StreamConfig) error {
	text, ok := config.Metadata[protocolKey]
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%w: %q, which is no number", ErrProtocol, text)
	case n > protocol:
		return fmt.Errorf("%w: it is of protocol %d, and this version of the package knows those "+
			"up to %d", ErrProtocol, n, protocol)
	}
	return nil
}

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
		if err := checkProtocol(now.CachedInfo().Config); err != nil {
			return err
		}
	}
	return nil
}
