package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// body says what the runs of a task do: nothing unless it says otherwise.
type body struct {
	work    time.Duration // how long a run takes
	working int           // which run takes long; 0 for each
	fails   bool
	failing int // which run fails; 0 for each
}

func parseBody(word string) (body, error) {
	what, value, _ := strings.Cut(word, "=")
	what, number, one := strings.Cut(what, "@")
	run := 0
	if one {
		var err error
		if run, err = strconv.Atoi(number); err != nil {
			return body{}, err
		}
	}
	switch what {
	case "fail":
		return body{fails: true, failing: run}, nil
	case "work":
		d, err := time.ParseDuration(value)
		return body{work: d, working: run}, err
	}
	return body{}, fmt.Errorf("there is no body %q", word)
}

// run does what the body does in that run, counted from 1.
func (b body) run(n int) {
	if b.work > 0 && (b.working == 0 || b.working == n) {
		time.Sleep(b.work)
	}
	if b.fails && (b.failing == 0 || b.failing == n) {
		panic("as the program wants it")
	}
}
