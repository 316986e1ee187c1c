package faults

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// moment is a time of a trial that is made up.
func moment(seconds float64) time.Time {
	begun := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	return begun.Add(time.Duration(seconds * float64(time.Second)))
}

// made writes a journal of events that are made up, a second after each other unless they say when
// they were, and judges it.
func made(t *testing.T, events ...event) verdict {
	t.Helper()
	dir := t.TempDir()
	j, err := openJournal(dir, "A")
	require.NoError(t, err)
	for i, e := range events {
		if e.At.IsZero() {
			e.At = moment(float64(i))
		}
		j.write(e)
	}
	return judge(t, dir)
}

// A run that is written down while the journals are read may be in one that has been read already,
// and the next run in one that has not: it is not skipped.
func TestWhatIsWrittenWhileJournalsAreReadDoesNotCount(t *testing.T) {
	t.Parallel()
	tick := func(number uint64, at time.Time) event {
		return event{Kind: "start", Task: "tick", Series: "s", ID: fmt.Sprint(number), Number: number,
			Fence: number, At: at}
	}
	v := made(t, tick(1, moment(1)), tick(3, time.Now().Add(time.Hour)))
	require.Empty(t, v.sins())
	require.Equal(t, 1, v.Runs)
}

// The judge sees each fault that it is there for, and no other in it.
func TestTheJudge(t *testing.T) {
	t.Parallel()
	const ok, once, unless = "1 <nil>", "once 1", unlessFailed + " 1"
	accepted := event{Kind: "accepted", ID: "x"}
	cancelled := event{Kind: "cancelled", ID: "x", Text: prevents}
	start := event{Kind: "start", Task: "work", ID: "x"}
	end := event{Kind: "end", Task: "work", ID: "x"}
	outcome := func(text string) event { return event{Kind: "outcome", ID: "x", Text: text} }
	failed := func(err error) event { return outcome(fmt.Sprint(0, " ", err)) }
	isCancelled := failed(cluster.ErrCancelled)
	other := event{Kind: "outcome", ID: "y", Text: "0 failed"}
	run := func(kind string, number, fence uint64, life int) event {
		return event{Kind: kind, Task: "tick", Series: "s", ID: fmt.Sprint(life, number),
			Number: number, Fence: fence, Life: life}
	}
	armed := event{Kind: "armed", ID: "s.s", Number: 2}
	key := func(key, id string) event {
		return event{Kind: "accepted", Key: key, ID: id, Begun: moment(0)}
	}
	again := key(once, "x")
	again.Begun, again.At = moment(7), moment(8)
	late := run("start", 2, 2, 1)
	late.Who, late.At = "B", moment(6.01)
	early := start
	early.Planned = moment(0.006)
	early.At = moment(0)
	start.Attempt = 1
	retries := event{Kind: "retries", ID: "x", Attempt: 1, Planned: moment(3)}
	next, tooEarly := start, start
	next.Attempt, tooEarly.Attempt = 2, 2
	tooEarly.At = moment(2.9)
	kept := func(id string) event { return event{Kind: "kept", ID: id} }
	told := &cluster.TaskError{Text: "as told"}
	type journal []event
	for name, c := range map[string]struct {
		journal
		sins []string
	}{
		"sound": {journal{accepted, start, end, outcome(ok), outcome(ok)}, nil},
		"no outcome": {journal{accepted, start, end},
			[]string{"1 unfinished"}},
		"two outcomes": {journal{accepted, start, end, outcome(ok), outcome("2 <nil>")},
			[]string{"1 disagree"}},
		"never run": {journal{accepted, outcome(ok)},
			[]string{"1 unrun"}},
		"gone": {journal{accepted, failed(cluster.ErrGone)},
			[]string{"1 gone"}},
		"given up": {journal{accepted, start, failed(cluster.ErrAbandoned)},
			[]string{"1 abandoned"}},
		"given up in the end": {journal{accepted, start, start, start, start, start,
			failed(cluster.ErrAbandoned)}, nil},
		"cancelled": {journal{accepted, start, cancelled, isCancelled}, nil},
		"not cancelled": {journal{accepted, start, end, cancelled, outcome(ok)},
			[]string{"1 ignored"}},
		"began after": {journal{accepted, cancelled, start, isCancelled},
			[]string{"1 revived"}},
		"early": {journal{early},
			[]string{"1 early"}},
		"failed": {journal{{Kind: "failed"}},
			[]string{"1 failed"}},

		"twice": {journal{start, end, start, end},
			[]string{"1 twice"}},
		"twice, excused": {journal{start, end, {Kind: "fault", Text: "server killed"}, start, end},
			nil},
		"twice, as the server delivers anew": {journal{start, {Kind: "rolls up"}, end, start, end,
			{Kind: "rolled up"}}, nil},
		"tried again":           {journal{start, end, retries, next, end}, nil},
		"tried again too early": {journal{start, end, retries, tooEarly, end}, []string{"1 retried"}},
		"tried again, and then the one before": {journal{start, end, retries, next, start},
			[]string{"1 retried"}},
		"not kept": {journal{accepted, start, end, failed(told), kept(theSet)}, []string{"1 unkept"}},
		"kept":     {journal{accepted, start, end, failed(told), kept("x"), kept(theSet)}, nil},

		"again, as its worker was killed": {journal{start, {Kind: "dead"}, start, end}, nil},

		"series": {journal{run("start", 1, 1, 1), run("end", 1, 1, 1), armed, run("start", 2, 2, 1),
			run("end", 2, 2, 1), run("start", 1, 3, 2), run("end", 1, 3, 2), armed}, nil},
		"skipped": {journal{run("start", 1, 1, 1), run("end", 1, 1, 1), run("start", 3, 2, 1)},
			[]string{"1 skipped"}},
		"overlap": {journal{run("start", 1, 1, 1), run("start", 2, 2, 1), run("end", 1, 1, 1)},
			[]string{"1 overlaps"}},
		"overtaken": {journal{run("start", 1, 1, 1), run("end", 1, 1, 1), {Kind: "dead"},
			run("start", 1, 2, 1), run("start", 2, 3, 1), run("end", 1, 2, 1)}, []string{"1 overlaps"}},
		"stopped before it began": {journal{run("start", 1, 1, 1), run("end", 1, 1, 1),
			{Kind: "stopped", Who: "B", At: moment(3)}, run("start", 2, 3, 1), run("end", 2, 3, 1),
			{Kind: "continued", Who: "B", At: moment(6)}, late}, nil},
		"fences": {journal{run("start", 1, 2, 1), run("end", 1, 2, 1), run("start", 2, 2, 1)},
			[]string{"1 fences"}},
		"armed": {journal{run("start", 1, 2, 1), armed, armed},
			[]string{"1 armedtwice"}},
		"an old declaration": {journal{run("start", 1, 2, -1)},
			[]string{"1 replaced"}},

		"key": {journal{key(once, "x"), start, end, outcome(ok), key(once, "x")}, nil},
		"two tasks of a key": {journal{key(once, "x"), start, end, outcome(ok), key(once, "y"),
			other}, []string{"1 keys"}},
		"free again": {journal{key(once, "x"), cancelled, isCancelled, key(once, "y"), other},
			nil},
		"free by failure": {journal{key(unless, "x"), failed(io.EOF), key(unless, "y"), other},
			nil},
		"not free by failure": {journal{key(once, "x"), failed(io.EOF), key(once, "y"), other},
			[]string{"1 keys"}},
		"the old one again": {journal{key(once, "x"), cancelled, isCancelled, key(once, "y"), other,
			again}, []string{"1 keys"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := made(t, c.journal...)
			require.ElementsMatch(t, c.sins, v.sins(), v.details)
		})
	}
}
