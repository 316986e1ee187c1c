package lateness

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func named(name string, start, end int64) Span { return Span{Name: name, Start: start, End: end} }

func names(spans []Span) (names []string) {
	for _, s := range spans {
		names = append(names, s.Name)
	}
	return names
}

func TestWhatARunHasWaitedFor(t *testing.T) {
	type test struct {
		name    string
		wait    Wait
		past    []Span
		running []Span
		holds   []Span
		want    Reasons
		by      []string
	}
	for _, c := range []test{
		{name: "nothing", wait: Wait{Due: 10, Start: 10, Limit: 1}},
		{name: "a wake-up", wait: Wait{Due: 10, Start: 13, Limit: 1}, want: Reasons{Wake: 3}},
		{name: "slack", wait: Wait{Due: 10, Start: 16, Meant: 14, Limit: 1},
			want: Reasons{Slack: 4, Wake: 2}},
		{name: "its previous run", wait: Wait{Due: 10, Freed: 25, Start: 25, Limit: 2},
			past: []Span{named("T", 0, 25)}, want: Reasons{Previous: 15}},
		{name: "its previous run was long over", wait: Wait{Due: 10, Freed: 5, Start: 12, Limit: 1},
			past: []Span{named("T", 0, 5)}, want: Reasons{Wake: 2}},
		{name: "two workers, both busy", wait: Wait{Due: 10, Start: 20, Limit: 2},
			past: []Span{named("B", 0, 20)}, running: []Span{named("A", 0, 0)},
			want: Reasons{Busy: 10}, by: []string{"B", "A"}},
		{name: "one of two workers busy", wait: Wait{Due: 10, Start: 20, Limit: 2},
			running: []Span{named("A", 0, 0)}, want: Reasons{Wake: 10}},
		{name: "busy, then the queue", wait: Wait{Due: 12, Start: 30, Limit: 1},
			past: []Span{named("T", 0, 15), named("T", 15, 30)},
			want: Reasons{Busy: 3, Queue: 15}, by: []string{"T", "T"}},
		{name: "its previous run, then the queue",
			wait: Wait{Due: 20, Freed: 30, Start: 31, Limit: 1},
			past: []Span{named("T", 15, 30), named("X", 30, 31)},
			want: Reasons{Previous: 10, Queue: 1}, by: []string{"X"}},
		{name: "a pause", wait: Wait{Due: 10, Start: 40, Limit: 1},
			holds: []Span{{Start: 5, End: 30}}, want: Reasons{Held: 20, Wake: 10}},
		{name: "a pause while all are busy", wait: Wait{Due: 10, Start: 40, Limit: 1},
			past: []Span{named("A", 0, 40)}, holds: []Span{{Start: 15, End: 30}},
			want: Reasons{Held: 15, Busy: 15}, by: []string{"A"}},
		{name: "slack counts from when a worker was free",
			wait: Wait{Due: 10, Start: 30, Meant: 28, Limit: 1},
			past: []Span{named("A", 0, 25)}, want: Reasons{Busy: 15, Slack: 3, Wake: 2},
			by: []string{"A"}},
		{name: "three of the holders", wait: Wait{Due: 10, Start: 20, Limit: 4},
			running: []Span{named("A", 9, 0), named("B", 2, 0), named("C", 1, 0), named("D", 4, 0)},
			want:    Reasons{Busy: 10}, by: []string{"C", "B", "A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l Ledger
			for _, s := range c.past {
				l.Note(s)
			}
			for _, s := range c.holds {
				l.Hold(s.Start, s.End)
			}
			got := l.Explain(c.wait, slices.Values(c.running))
			assert.Equal(t, c.by, names(got.Holders))
			got.Holders = nil
			assert.Equal(t, c.want, got)
		})
	}
}

func TestTheReasonsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, 100)
		var l Ledger
		for range rapid.IntRange(0, 80).Draw(t, "runs") {
			start := at.Draw(t, "start")
			l.Note(Span{Start: start, End: start + at.Draw(t, "length")})
		}
		for range rapid.IntRange(0, 9).Draw(t, "holds") {
			start := at.Draw(t, "start")
			l.Hold(start, start+at.Draw(t, "length"))
		}
		var running []Span
		for range rapid.IntRange(0, 4).Draw(t, "running") {
			running = append(running, Span{Start: at.Draw(t, "start")})
		}
		w := Wait{Due: at.Draw(t, "due"), Freed: at.Draw(t, "freed"), Meant: at.Draw(t, "meant"),
			Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
		w.Start = w.Due + at.Draw(t, "late")
		running = slices.DeleteFunc(running, func(s Span) bool { return s.Start > w.Start })
		r := l.Explain(w, slices.Values(running))
		for _, part := range []int64{r.Previous, r.Held, r.Busy, r.Queue, r.Slack, r.Wake} {
			if part < 0 {
				t.Fatalf("a part below zero: %+v", r)
			}
		}
		if sum := r.Previous + r.Held + r.Busy + r.Queue + r.Slack + r.Wake; sum != w.Start-w.Due {
			t.Fatalf("%d of %d: %+v", sum, w.Start-w.Due, r)
		}
	})
}

func TestALedgerSaysWhenItHasForgotten(t *testing.T) {
	var l Ledger
	for i := range int64(kept) {
		l.Note(named("", i, i+1))
	}
	w := Wait{Due: 10, Start: 200, Limit: 1}
	assert.False(t, l.Explain(w, slices.Values[[]Span](nil)).Partial)
	for range 12 {
		l.Note(named("", 100, 101))
	}
	assert.True(t, l.Explain(w, slices.Values[[]Span](nil)).Partial)
}
