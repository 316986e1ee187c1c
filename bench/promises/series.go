package main

import (
	"slices"
	"time"
)

// These are the times in the programs.
const (
	period     = 10 * time.Millisecond
	gridRuns   = 40
	gridWork   = 5 * time.Millisecond
	stallRuns  = 80 // in the time that is looked at
	delayAfter = 10 * time.Millisecond
)

// series has the promises about periodic tasks.
func series() []promise {
	return []promise{
		{
			name:    "fixed rate keeps its grid",
			program: lines("open 2", "rate r 10ms 10ms work=5ms", "until r 40"),
			judge:   judgeGrid, slow: true,
		},
		{
			name:    "fixed rate catches up after a stall",
			program: lines("open 2", "rate r 10ms 10ms work@1=300ms", "sleep 800ms"),
			judge:   judgeCatchUp, slow: true,
		},
		{
			name:    "fixed delay counts from the end",
			program: lines("open 2", "delay d 10ms 10ms work=5ms", "until d 20"),
			judge:   judgeDelay,
		},
		{
			name:    "no overlap of a series with itself",
			program: lines("open 4", "rate r 2ms 2ms work=10ms", "until r 10"),
			judge:   judgeOverlap,
		},
	}
}

// judgeGrid sees whether anything is added to the period: the work of a run, or how late it was.
// The median does not mind if the machine stands still for some time.
func judgeGrid(j journal, _ documents) verdict {
	begun := j.all("begin")
	var added []time.Duration
	for i := range gridRuns / 2 {
		added = append(added, (begun[i+gridRuns/2].at-begun[i].at)*2/gridRuns-period)
	}
	slices.Sort(added)
	if d := added[len(added)/2]; d > period/50 {
		return breaks("each run adds %v to the period", d.Round(10*time.Microsecond))
	}
	return keeps()
}

// judgeCatchUp sees how many periods the last runs are behind: those that the first run has cost,
// if nothing is caught up with.
func judgeCatchUp(j journal, _ documents) verdict {
	asked, _ := j.first("asked")
	begun := j.all("begin")
	if len(begun) < stallRuns/2 {
		return breaks("%d runs in %d periods", len(begun), stallRuns)
	}
	behind := stallRuns
	for _, e := range begun[len(begun)-10:] {
		behind = min(behind, int((e.at-asked.at)/period)-int(e.a))
	}
	if behind > 10 {
		return breaks("%d periods behind, since the first run took 30", behind)
	}
	return keeps()
}

func judgeDelay(j journal, _ documents) verdict {
	var end time.Duration
	least := time.Duration(1<<63 - 1)
	for _, e := range j {
		switch {
		case e.what == "end":
			end = e.at
		case e.what == "begin" && e.a > 1:
			least = min(least, e.at-end)
		}
	}
	if least < delayAfter {
		least = least.Round(time.Microsecond)
		return breaks("%v after the end of the last run, not %v", least, delayAfter)
	}
	return keeps()
}

func judgeOverlap(j journal, _ documents) verdict {
	running, most := 0, 0
	for _, e := range j {
		switch e.what {
		case "begin":
			running++
			most = max(most, running)
		case "end":
			running--
		}
	}
	if most > 1 {
		return breaks("%d runs at once", most)
	}
	return keeps()
}
