package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// order has the promises about what runs first among what is due.
func order() []promise {
	return []promise{
		{name: "earlier time first", program: shuffled(400), judge: judgeEarlier},
		{name: "equal delays: first in, first out", program: ties(1000), judge: judgeTies},
		{
			name:    "a fresh task does not overtake overdue ones",
			program: overdue(20), judge: judgeOvertaking,
		},
	}
}

// shuffled are tasks 50 µs apart, submitted in any order, all of which are due when the worker is
// let go.
func shuffled(n int) string {
	var b strings.Builder
	b.WriteString("open 1\nhold\n")
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		fmt.Fprintf(&b, "after t%d %dus\n", i, 50_000+50*i)
	}
	fmt.Fprintf(&b, "sleep 150ms\nrelease\nsleep 50ms\n")
	for i := range n {
		fmt.Fprintf(&b, "until t%d 1\n", i)
	}
	return b.String()
}

// judgeEarlier compares those pairs whose times are apart for certain: the system has read the
// clock at some time during the call.
func judgeEarlier(j journal, d documents) verdict {
	type span struct{ from, to time.Duration }
	due := map[string]span{}
	for _, e := range j.all("asked") {
		due[e.id] = span{time.Duration(e.a + e.b), e.at + time.Duration(e.b) + d.grain}
	}
	ids := j.begun()
	late, most, worst := 0, 0, ""
	for i, id := range ids {
		overtaken := 0
		for _, earlier := range ids[:i] {
			if due[id].to < due[earlier].from {
				overtaken++
			}
		}
		if overtaken > 0 {
			late++
		}
		if overtaken > most {
			most = overtaken
			worst = fmt.Sprintf("one ran %s, after %d that were due later", ordinal(i+1), overtaken)
		}
	}
	if late > 0 {
		return breaks("%s; %d of %d out of turn", worst, late, len(ids))
	}
	return keeps()
}

func ties(n int) string {
	var b strings.Builder
	b.WriteString("open 1\nhold\n")
	for i := range n {
		fmt.Fprintf(&b, "after t%d 100ms\n", i)
	}
	b.WriteString("sleep 300ms\nrelease\n")
	for i := range n {
		fmt.Fprintf(&b, "until t%d 1\n", i)
	}
	return b.String()
}

func judgeTies(j journal, _ documents) verdict {
	place := map[string]int{}
	for i, e := range j.all("asked") {
		place[e.id] = i
	}
	ids := j.begun()
	wrong, first := 0, ""
	for i, id := range ids {
		if place[id] == i {
			continue
		}
		if wrong++; first == "" {
			first = fmt.Sprintf("submitted %s, ran %s", ordinal(place[id]+1), ordinal(i+1))
		}
	}
	if wrong > 0 {
		return breaks("%s; %d of %d out of turn", first, wrong, len(ids))
	}
	return keeps()
}

func overdue(n int) string {
	var b strings.Builder
	b.WriteString("open 1\nhold\n")
	for i := range n {
		fmt.Fprintf(&b, "after overdue%d %dms\n", i, 20+n-i)
	}
	b.WriteString("sleep 100ms\n")
	for i := range n {
		fmt.Fprintf(&b, "execute fresh%d\n", i)
	}
	b.WriteString("release\n")
	for i := range n {
		fmt.Fprintf(&b, "until overdue%d 1\nuntil fresh%d 1\n", i, i)
	}
	return b.String()
}

func judgeOvertaking(j journal, _ documents) verdict {
	fresh, overtaken := 0, 0
	for _, id := range j.begun() {
		if strings.HasPrefix(id, "fresh") {
			fresh++
		} else if fresh > 0 {
			overtaken++
		}
	}
	if overtaken > 0 {
		return breaks("%d of %d overdue tasks ran after a fresh one", overtaken, fresh)
	}
	return keeps()
}

// ordinal writes 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	end := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return fmt.Sprint(n, end)
}
