package figures_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/shardcount"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

var quiet = executor.Logger(slog.New(slog.DiscardHandler))

// seeds returns how many lives a test has.
func seeds() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("PUNCTUAL_SEEDS"), 10, 64); err == nil {
		return n
	}
	return 300
}

// eachLife has test live many lives, each in a bubble of its own.
func eachLife(t *testing.T, test func(t *testing.T, l *life, y *figures.Tally, tape *bytes.Buffer)) {
	for seed := range seeds() {
		ok := t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &life{Rand: rand.New(rand.NewPCG(seed, 0)), ctx: t.Context()}
				test(t, l, figures.NewTally(), new(bytes.Buffer))
			})
		})
		if !ok {
			return
		}
	}
}

// watching returns the options of an executor that tells all.
func watching(y *figures.Tally, tape *bytes.Buffer) []eventloop.Option {
	return []eventloop.Option{executor.Observe(y.Observer()),
		executor.Watch(insight.Config{History: true, Record: tape}), quiet}
}

func poolOptions(l *life, y *figures.Tally, tape *bytes.Buffer) (opts []executor.Option) {
	for _, o := range watching(y, tape) {
		opts = append(opts, o.(executor.Option))
	}
	if l.one(3) {
		opts = append(opts, executor.PendingLimit(1+l.IntN(4)))
	}
	policies := []rejection.Policy{rejection.Abort, rejection.CallerRuns, rejection.Discard,
		rejection.DiscardOldest}
	return append(opts, executor.OnRejection(policies[l.IntN(len(policies))]))
}

// live has the program work on a pool, and ends that.
func (l *life) live(t *testing.T, p *executor.Pool) {
	l.exec.Submitter, l.exec.execute, l.exec.pool = p, p.Execute, p
	l.exec.serials = []*serial.Serial{serial.New(p), serial.New(p, serial.Gap(time.Second))}
	worked := make(chan struct{})
	go func() { // a task that the caller runs may end its goroutine
		defer close(worked)
		l.work()
	}()
	<-worked
	if l.one(2) {
		p.Shutdown()
		time.Sleep(l.span(3 * time.Second))
	}
	if l.one(2) {
		ctx, cancel := context.WithTimeout(t.Context(), l.span(5*time.Second))
		defer cancel()
		_, _ = p.CloseContext(ctx)
	} else {
		p.ShutdownNow()
	}
	for range l.IntN(3) {
		l.command()
	}
	<-p.Terminated()
	synctest.Wait()
}

func TestFiguresOfAPlainPoolAgree(t *testing.T) {
	eachLife(t, func(t *testing.T, l *life, y *figures.Tally, tape *bytes.Buffer) {
		queues := []queue.Queue{queue.FIFO(), queue.Bounded(1 + l.IntN(3)),
			queue.HandOff(), queue.Priority()}
		p := executor.NewPool(1+l.IntN(2),
			append(poolOptions(l, y, tape), executor.Queue(queues[l.IntN(len(queues))]))...)
		l.live(t, p)
		assert.Empty(t, figures.OfPool(p, y, tape.Bytes()).Disagreements())
	})
}

func TestFiguresOfAScheduledPoolAgree(t *testing.T) {
	eachLife(t, func(t *testing.T, l *life, y *figures.Tally, tape *bytes.Buffer) {
		shardcount.Draw(l.IntN)
		p := executor.NewScheduledPool(1+l.IntN(2), poolOptions(l, y, tape)...)
		l.exec.scheduler, l.exec.scheduled = p, p
		l.live(t, &p.Pool)
		assert.Empty(t, figures.OfPool(p, y, tape.Bytes()).Disagreements())
	})
}

func TestFiguresOfALoopAgree(t *testing.T) {
	eachLife(t, func(t *testing.T, l *life, y *figures.Tally, tape *bytes.Buffer) {
		loop := eventloop.New(watching(y, tape)...)
		l.exec = facility{Submitter: loop, execute: loop.Execute, scheduler: loop}
		l.work()
		if l.one(2) {
			loop.Shutdown()
			time.Sleep(l.span(3 * time.Second))
		}
		loop.ShutdownNow()
		for range l.IntN(3) {
			l.command()
		}
		<-loop.Terminated()
		synctest.Wait()
		assert.Empty(t, figures.OfLoop(loop, y, tape.Bytes()).Disagreements())
	})
}
