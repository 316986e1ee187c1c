package main

// shutdowns has the promises about the end of a system.
func shutdowns() []promise {
	return []promise{
		{
			name:    "shutdown of what is due: as documented",
			program: lines("open 1", "hold", "soon due", "sleep 20ms", "shutdown", "release", "sleep 400ms"),
			judge:   judgeDue, slow: true,
		},
		{
			name: "shutdown of what is delayed: as documented",
			program: lines("open 1", "after later 200ms", "?rate series 200ms 20ms", "shutdown",
				"sleep 500ms"),
			judge: judgeLater, slow: true,
		},
		{
			name: "shutdown at once hands back what had not begun",
			program: lines("open 1", "hold", "soon a", "soon b", "after c 1h", "after d 1h", "after e 1h",
				"handback"),
			judge: judgeHandback,
		},
		{
			name:    "shutdown at once settles the futures of the rest",
			program: lines("open 1", "after far 1h", "now", "get far 500ms"),
			judge:   judgeSettled,
		},
		{
			name:    "after shutdown a caller is refused",
			program: lines("open 1", "soon before", "until before 1", "shutdown", "soon x", "sleep 50ms"),
			judge:   judgeRefusal, refuses: true,
		},
	}
}

func judgeDue(j journal, d documents) verdict { return judgeFate(j, "due", d.due) }

func judgeFate(j journal, id string, documented fate) verdict {
	if documented == "" {
		return cannot("its documentation does not say")
	}
	seen := drops
	if _, ok := j.of(id).first("begin"); ok {
		seen = runs
	}
	if seen != documented {
		return breaks("it %s; documented: it %s", seen, documented)
	}
	return keeps()
}

// judgeLater also sees that a series ends, as all say. A run that was under way may end.
func judgeLater(j journal, d documents) verdict {
	v := judgeFate(j, "later", d.later)
	if n := len(j.of("series").all("begin")); v.kind == kept && n > 1 {
		return breaks("a series goes on: %d runs", n)
	}
	return v
}

func judgeHandback(j journal, _ documents) verdict {
	if e, _ := j.first("handed"); e.a != 5 {
		return breaks("%d of 5", e.a)
	}
	return keeps()
}

func judgeSettled(j journal, _ documents) verdict {
	switch e, _ := j.first("got"); e.text {
	case "cancelled", "failed":
		return keeps()
	case "late":
		return breaks("get waits on")
	default:
		return breaks("the future says: %s", e.text)
	}
}

func judgeRefusal(j journal, _ documents) verdict {
	x := j.of("x")
	if _, ok := x.first("refused"); ok {
		return keeps()
	}
	if _, ok := x.first("begin"); ok {
		return breaks("it is accepted, and runs")
	}
	return breaks("it is accepted, and never runs")
}
