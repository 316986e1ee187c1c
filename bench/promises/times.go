package main

import (
	"fmt"
	"strings"
	"time"
)

// times has the promise that nothing runs early.
func times() []promise {
	return []promise{{name: "no task early", program: scattered(200), judge: judgeEarly}}
}

func scattered(n int) string {
	var b strings.Builder
	b.WriteString("open 2\n")
	for i := range n {
		fmt.Fprintf(&b, "after t%d %dus\n", i, 20_000+i*7919%40_000)
	}
	for i := range n {
		fmt.Fprintf(&b, "until t%d 1\n", i)
	}
	return b.String()
}

// judgeEarly holds a system to the earliest time that it can have meant: that before the call, and
// the delay.
func judgeEarly(j journal, _ documents) verdict {
	early, most := 0, time.Duration(0)
	for _, e := range j.all("asked") {
		begin, _ := j.of(e.id).first("begin")
		if ahead := time.Duration(e.a+e.b) - begin.at; ahead > 0 {
			early++
			most = max(most, ahead)
		}
	}
	if early > 0 {
		most = most.Round(time.Microsecond)
		return breaks("%d of %d early, by up to %v", early, len(j.all("asked")), most)
	}
	return keeps()
}
