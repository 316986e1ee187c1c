package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// step is a line of a program: a verb, and what it is about. A step that is optional is left out
// where the system does not have the verb.
//
//	open WORKERS [BOUND]       a system with so many workers, and room for so many that wait
//	hold, release              occupy all workers; let them go
//	execute ID [BODY]          a task for now
//	after ID DELAY [BODY]      once, later
//	soon ID [BODY]             execute, or else after no time
//	rate ID FIRST PERIOD [BODY]
//	delay ID FIRST DELAY [BODY]
//	cancel ID                  however far it is
//	withdraw ID                only if it has not begun
//	get ID LIMIT               its outcome
//	count                      how many wait
//	sweep                      cancel all in one go, and count at once what still waits
//	shutdown, now              orderly; at once
//	handback                   at once, and say how many are handed back
//	sleep TIME, until ID RUNS  wait
//	crowd N                    that many submissions, each by a goroutine of its own
//	race N                     that many withdrawals at the moment at which the task is due
//	handover N                 that many plain variables, from a body to who gets its outcome
//
// A BODY says what a run does: work=TIME, work@RUN=TIME, fail, fail@RUN.
type step struct {
	verb, id string
	times    []time.Duration
	counts   []int
	body     body
	optional bool
}

// shapes say what follows a verb: i an id, t a time, n a number, o a number that may be missing,
// b a body.
var shapes = map[string]string{
	"open": "no", "hold": "", "release": "",
	"execute": "ib", "soon": "ib", "after": "itb", "rate": "ittb", "delay": "ittb",
	"cancel": "i", "withdraw": "i", "get": "it", "count": "", "sweep": "",
	"shutdown": "", "now": "", "handback": "",
	"sleep": "t", "until": "in", "crowd": "n", "race": "n", "handover": "n",
}

// parse reads a program, line by line.
func parse(program string) ([]step, error) {
	var steps []step
	for line := range strings.Lines(program) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		s, err := parseStep(words)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func parseStep(words []string) (step, error) {
	verb, optional := strings.CutPrefix(words[0], "?")
	shape, ok := shapes[verb]
	if !ok {
		return step{}, fmt.Errorf("there is no verb %q", verb)
	}
	s, rest := step{verb: verb, optional: optional}, words[1:]
	for _, kind := range shape {
		if len(rest) == 0 {
			if kind == 'o' || kind == 'b' {
				break
			}
			return step{}, fmt.Errorf("something is missing")
		}
		if err := s.add(kind, rest[0]); err != nil {
			return step{}, err
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return step{}, fmt.Errorf("%q is too much", rest[0])
	}
	return s, nil
}

func (s *step) add(kind rune, word string) (err error) {
	switch kind {
	case 'i':
		s.id = word
	case 't':
		var d time.Duration
		d, err = time.ParseDuration(word)
		s.times = append(s.times, d)
	case 'n', 'o':
		var n int
		n, err = strconv.Atoi(word)
		s.counts = append(s.counts, n)
	case 'b':
		s.body, err = parseBody(word)
	}
	return err
}
