package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// event is something that happened while a program was played.
//
//	asked ID            a, b: when the call began, and how much later it is to run at first
//	refused ID          text: why
//	begin, end ID       a: which run, from 1
//	cancelled ID        a: 1 for a yes, 0 for a no, -1 if the system does not say
//	withdrawn ID        likewise
//	got ID              text: value, failed, cancelled or late
//	counted             a: how many wait
//	shutdown            it has returned, or gone on for long enough
//	handed              a: how many
//	crowded             a: how many were accepted
//	raced, handover     a: rounds, b: those in which the promise was broken
//	missed ID           it did not run as often as the program waits for
//	unable              text: what the system has not
//	done                the program is over
type event struct {
	at   time.Duration // since the program began; of a call, when it returned
	what string
	id   string
	a, b int64
	text string
}

const mark = "@ " // before each event, as a system may write lines of its own

func (e event) String() string {
	id := e.id
	if id == "" {
		id = "-"
	}
	text := strings.Join(strings.Fields(e.text), " ")
	return fmt.Sprintf("%s%d %s %s %d %d %s", mark, e.at.Nanoseconds(), e.what, id, e.a, e.b, text)
}

// parseEvent reads an event; ok is false for any other line.
func parseEvent(line string) (e event, ok bool) {
	line, ok = strings.CutPrefix(line, mark)
	words := strings.SplitN(strings.TrimRight(line, "\r\n"), " ", 6)
	if !ok || len(words) < 6 {
		return event{}, false
	}
	var numbers [3]int64
	for i, at := range []int{0, 3, 4} {
		n, err := strconv.ParseInt(words[at], 10, 64)
		if err != nil {
			return event{}, false
		}
		numbers[i] = n
	}
	if words[2] == "-" {
		words[2] = ""
	}
	return event{
		at: time.Duration(numbers[0]), what: words[1], id: words[2],
		a: numbers[1], b: numbers[2], text: strings.TrimSpace(words[5]),
	}, true
}
