package control_test

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// A series does what the doc comments say, whatever it is told and when: on a pool of one worker,
// of three, and on a loop.
func TestModelOfASeriesUnderCommands(t *testing.T) {
	for kind, at := range map[string]struct {
		workers int
		start   func() scheduler
	}{
		"pool":  {1, func() scheduler { return executor.NewScheduledPool(1, quiet) }},
		"three": {3, func() scheduler { return executor.NewScheduledPool(3, quiet) }},
		"loop":  {1, func() scheduler { return eventloop.New(quiet) }},
	} {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				st := drawStory(t, at.workers)
				rapid.SyncTest(t, func(t *rapid.T) { compare(t, at.start(), st) })
			})
		})
	}
}

var quiet = executor.Logger(slog.New(slog.DiscardHandler))

// horizon is when a story ends: long after the last command.
const horizon = 250 * time.Second

// compare plays a story on a scheduler, and beside it on the reference.
func compare(t *rapid.T, s scheduler, st *story) {
	g, r := newStage(t, s, st), newReference(st)
	defer func() {
		s.ShutdownNow()
		<-s.(interface{ Terminated() <-chan struct{} }).Terminated()
	}()
	for _, c := range st.commands {
		g.until(c.at)
		r.play(c.at)
		look(t, g, r, c.at)
		g.give(t.Context(), c)
		r.command(c)
	}
	g.until(horizon)
	r.play(horizon)
	look(t, g, r, horizon)
	b := booksOf(s)
	want := r.books
	want.Accepted = uint64(1 + len(st.obstacles))
	want.Busy, want.Queued = b.Busy, b.Queued
	assert.Equal(t, want, b)
	if r.over && r.inBody() { // its cancelled body counts as ended and as busy
		b.Busy--
	}
	require.EqualValues(t, b.Accepted, b.Completed+b.Cancelled+b.Returned+uint64(b.Queued+b.Busy))
}

// look compares all that can be seen at one moment, in which nothing happens.
func look(t *rapid.T, g *stage, r *reference, at time.Duration) {
	synctest.Wait()
	g.mu.Lock()
	log, answers := g.log, g.answers
	g.mu.Unlock()
	require.Equal(t, lines(r.log), lines(log), "runs until %v of %+v", at, g.story)
	require.Equal(t, r.answers, answers, "answers until %v", at)
	want, got := r.view(), g.view()
	if r.run != nil && r.run.waits { // whether the next attempt is a next run is not said
		got.next = want.next
	}
	require.Equal(t, want, got, "at %v", at)
}

// lines are entries to be read.
func lines(log []entry) (text []string) {
	for _, e := range log {
		mark := ""
		if e.extra {
			mark = "!"
		}
		text = append(text, fmt.Sprintf("%v%s for %v: run %d, attempt %d, %d missed",
			e.at, mark, e.scheduled, e.number, e.attempt, e.missed))
	}
	return text
}
