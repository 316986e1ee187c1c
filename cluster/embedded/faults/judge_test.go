package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// moment is a time of a trial that is made up.
func moment(seconds float64) time.Time {
	return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
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

// The judge sees each fault that it is there for, and no other in it.
func TestTheJudge(t *testing.T) {
	t.Parallel()
	const ok = "1 <nil>"
	accepted := event{Kind: "accepted", ID: "x"}
	cancelled := event{Kind: "cancelled", ID: "x", Text: prevents}
	start, end := event{Kind: "start", Task: "work", ID: "x"}, event{Kind: "end", Task: "work", ID: "x"}
	outcome := func(text string) event { return event{Kind: "outcome", ID: "x", Text: text} }
	isCancelled := outcome("0 " + cluster.ErrCancelled.Error())
	run := func(kind string, number, fence uint64, life int) event {
		return event{Kind: kind, Task: "tick", Series: "s", ID: fmt.Sprint(life, number), Number: number, Fence: fence, Life: life}
	}
	armed := event{Kind: "armed", ID: "s.s", Number: 2}
	key := func(key, id string) event {
		return event{Kind: "accepted", Key: key, ID: id, Begun: moment(0)}
	}
	again := key("once 1", "x")
	again.Begun, again.At = moment(7), moment(8)
	late := run("start", 2, 2, 1)
	late.Who, late.At = "B", moment(6.01)
	early := start
	early.Planned = moment(0.006)
	early.At = moment(0)
	for name, c := range map[string]struct {
		events []event
		sins   []string
	}{
		"sound":                              {[]event{accepted, start, end, outcome(ok), outcome(ok)}, nil},
		"no outcome":                         {[]event{accepted, start, end}, []string{"1 unfinished"}},
		"two outcomes":                       {[]event{accepted, start, end, outcome(ok), outcome("2 <nil>")}, []string{"1 disagree"}},
		"never run":                          {[]event{accepted, outcome(ok)}, []string{"1 unrun"}},
		"gone":                               {[]event{accepted, outcome("0 " + cluster.ErrGone.Error())}, []string{"1 gone"}},
		"given up":                           {[]event{accepted, start, outcome("0 " + cluster.ErrAbandoned.Error())}, []string{"1 abandoned"}},
		"cancelled":                          {[]event{accepted, start, cancelled, isCancelled}, nil},
		"not cancelled":                      {[]event{accepted, start, end, cancelled, outcome(ok)}, []string{"1 ignored"}},
		"began after":                        {[]event{accepted, cancelled, start, isCancelled}, []string{"1 revived"}},
		"early":                              {[]event{early}, []string{"1 early"}},
		"failed":                             {[]event{{Kind: "failed"}}, []string{"1 failed"}},
		"twice":                              {[]event{start, end, start, end}, []string{"1 twice"}},
		"twice, excused":                     {[]event{start, end, {Kind: "fault", Text: "server killed"}, start, end}, nil},
		"again, after its worker was killed": {[]event{start, {Kind: "dead"}, start, end}, nil},
		"series": {[]event{run("start", 1, 1, 1), run("end", 1, 1, 1), armed, run("start", 2, 2, 1),
			run("end", 2, 2, 1), run("start", 1, 3, 2), run("end", 1, 3, 2), armed}, nil},
		"skipped": {[]event{run("start", 1, 1, 1), run("end", 1, 1, 1), run("start", 3, 2, 1)}, []string{"1 skipped"}},
		"overlap": {[]event{run("start", 1, 1, 1), run("start", 2, 2, 1), run("end", 1, 1, 1)}, []string{"1 overlaps"}},
		"stopped before it began": {[]event{run("start", 1, 1, 1), run("end", 1, 1, 1),
			{Kind: "stopped", Who: "B", At: moment(3)}, run("start", 2, 3, 1), run("end", 2, 3, 1),
			{Kind: "continued", Who: "B", At: moment(6)}, late}, nil},
		"fences":    {[]event{run("start", 1, 2, 1), run("end", 1, 2, 1), run("start", 2, 2, 1)}, []string{"1 fences"}},
		"armed":     {[]event{run("start", 1, 2, 1), armed, armed}, []string{"1 armedtwice"}},
		"old":       {[]event{run("start", 1, 2, -1)}, []string{"1 replaced"}},
		"key":       {[]event{key("once 1", "x"), start, end, outcome(ok), key("once 1", "x")}, nil},
		"two tasks": {[]event{key("once 1", "x"), start, end, outcome(ok), key("once 1", "y")}, []string{"1 unfinished", "1 keys"}},
		"free again": {[]event{key("once 1", "x"), cancelled, isCancelled, key("once 1", "y"),
			{Kind: "outcome", ID: "y", Text: "0 failed"}}, nil},
		"free by failure": {[]event{key("unless 1", "x"), outcome("0 failed"), key("unless 1", "y"),
			{Kind: "outcome", ID: "y", Text: "0 failed"}}, nil},
		"not free by failure": {[]event{key("once 1", "x"), outcome("0 failed"), key("once 1", "y"),
			{Kind: "outcome", ID: "y", Text: "0 failed"}}, []string{"1 keys"}},
		"the old one again": {[]event{key("once 1", "x"), cancelled, isCancelled, key("once 1", "y"),
			{Kind: "outcome", ID: "y", Text: "0 failed"}, again}, []string{"1 keys"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := made(t, c.events...)
			require.ElementsMatch(t, c.sins, v.sins(), v.details)
		})
	}
}
