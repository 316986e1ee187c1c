package cluster

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// What the messages of a series say, one after another.
func TestHowASeriesStands(t *testing.T) {
	on, place := subjectsOf("p"), seriesPlace("t", "s")
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return begin.Add(time.Duration(minutes) * time.Minute) }
	hourly := cadence{kind: atRate, every: time.Hour, catchUp: executor.Skip}
	message := func(subject string, minutes int, sequence uint64, l link) seen {
		l.cadence = hourly
		h := nats.Header{}
		l.write(h)
		return seen{subject: subject, header: h, sequence: sequence, stored: at(minutes)}
	}
	arm := func(minutes int, sequence uint64, l link) seen { return message(on.arm(place), minutes, sequence, l) }
	run := func(minutes int, sequence uint64, l link) seen { return message(on.run(place), minutes, sequence, l) }
	broken := seen{subject: on.run(place), header: nats.Header{}, sequence: 9, stored: at(1)}
	for name, test := range map[string]struct {
		says   []seen
		begins time.Time
		is     uint64 // the message that tells
	}{
		"it waits":  {[]seen{arm(0, 1, link{do: doRun, due: at(5)})}, at(5), 1},
		"it is due": {[]seen{run(5, 2, link{do: doRun, due: at(5)})}, at(5), 2},
		"it waits, and then is due": {[]seen{arm(0, 1, link{do: doRun, due: at(5)}),
			run(5, 2, link{do: doRun, due: at(5)})}, at(5), 2},
		"the next is stored, and the last not removed": {[]seen{run(5, 2, link{do: doRun, due: at(5)}),
			arm(6, 3, link{do: doRun, due: at(65)})}, at(65), 3},
		"a pause behind a run that is due": {[]seen{run(5, 2, link{do: doRun, due: at(5)}),
			run(6, 3, link{do: doPause, due: at(65), follows: 2})}, at(5), 2},
		"a pause and a resumption behind one": {[]seen{run(5, 2, link{do: doRun, due: at(5)}),
			run(6, 3, link{do: doPause, due: at(65), follows: 2}),
			run(7, 4, link{do: doResume, due: at(65), follows: 2})}, at(5), 2},
		"two triggers behind one": {[]seen{run(5, 2, link{do: doRun, due: at(5)}),
			run(6, 3, link{do: doRun, due: at(6), then: at(65), follows: 2}),
			run(7, 4, link{do: doRun, due: at(7), then: at(65), follows: 3})}, at(5), 2},
		"a pause that waits": {[]seen{run(6, 3, link{do: doPause, due: at(65)})}, time.Time{}, 3},
		"paused":             {[]seen{arm(6, 3, link{do: doPause, due: at(65)})}, time.Time{}, 3},
		"a resumption that nobody follows": {[]seen{arm(6, 3, link{do: doPause, due: at(65)}),
			run(70, 4, link{do: doResume, due: at(65)})}, at(125), 4},
		"a declaration that nobody follows": {[]seen{run(6, 3, link{do: doArm, due: at(5)})}, at(6), 3},
		"one for later":                     {[]seen{run(6, 3, link{do: doArm, due: at(30)})}, at(30), 3},
		"triggered":                         {[]seen{run(6, 3, link{do: doRun, due: at(6), then: at(65)})}, at(6), 3},
		"what a later version has stored":   {[]seen{arm(0, 1, link{do: doRun, due: at(5)}), broken}, time.Time{}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			var s standing
			for _, m := range test.says {
				s.read(m, on.armed(m.subject), at(1000))
			}
			require.Equal(t, test.begins, s.begins)
			require.Equal(t, test.is, s.sequence)
			require.Equal(t, test.says[len(test.says)-1].sequence, s.newest)
			require.Equal(t, test.begins.IsZero(), s.paused() || name == "what a later version has stored")
			if !test.begins.IsZero() {
				require.Equal(t, test.is, s.message.sequence)
				require.True(t, s.overdue(test.begins))
				require.False(t, s.overdue(test.begins.Add(-1)))
			}
		})
	}
}

// A worker that has claimed a run is in it, unless it has no room and does not say so.
func TestAWorkerIsInARun(t *testing.T) {
	row := SeriesRow{Task: "t", Series: "s", Number: 7}
	its := RunningRow{Task: "t", Series: "s", Number: 7}
	other := RunningRow{Task: "t", Series: "s", Number: 6}
	for name, test := range map[string]struct {
		worker Worker
		in     bool
	}{
		"it has room":                 {Worker{Size: 2, Busy: 1, Running: []RunningRow{other}}, true},
		"it has none":                 {Worker{Size: 1, Busy: 1, Running: []RunningRow{other}}, false},
		"it says so":                  {Worker{Size: 1, Busy: 1, Running: []RunningRow{its}}, true},
		"it does not tell of all":     {Worker{Size: 2, Busy: 2, Running: []RunningRow{other}}, true},
		"it has more than it says so": {Worker{Size: 1, Busy: 2, Running: []RunningRow{other, its}}, true},
	} {
		require.Equal(t, test.in, test.worker.isIn(row), name)
	}
}

func TestALinkSaysHowTheLastRunEnded(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	late := lastOf(RanRow{Scheduled: now, Began: now.Add(time.Second), Outcome: RunFailed}, now)
	for _, last := range []lastRun{{}, late, lastOf(RanRow{Outcome: RunAbandoned}, now), late.longest(now)} {
		h := nats.Header{}
		link{cadence: cadence{kind: atRate, every: time.Second}, last: last}.write(h)
		l, err := readLink(h)
		require.NoError(t, err)
		require.Equal(t, last, l.last)
	}
	require.Equal(t, time.Second, late.late)
	require.True(t, late.failing())
	require.False(t, lastRun{}.failing())
	require.False(t, lastOf(RanRow{Outcome: RunSucceeded}, now).failing())
	for _, text := range []string{"", "x", "yesterday 5 failed", "2026-03-01T12:00:00Z x failed"} {
		require.Zero(t, readLastRun(nats.Header{headerLast: []string{text}}), text)
	}
}
