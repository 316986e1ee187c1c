package main

// futures has the promises about who asks for outcomes.
func futures() []promise {
	return []promise{
		{
			name:    "get with a time limit",
			program: lines("open 1", "soon slow work=200ms", "get slow 20ms", "get slow 5s"),
			judge:   judgeLimit, slow: true,
		},
		{
			name:    "what the body wrote is there after get",
			program: lines("open 2", "handover 2000"),
			judge:   judgeHandover,
		},
	}
}

func judgeLimit(j journal, _ documents) verdict {
	got := j.all("got")
	if got[0].text != "late" {
		return breaks("%s before the end", got[0].text)
	}
	if got[1].text != "value" {
		return breaks("%s after the end", got[1].text)
	}
	return keeps()
}

func judgeHandover(j journal, _ documents) verdict {
	e, _ := j.first("handover")
	if e.b > 0 {
		return breaks("not in %d of %d rounds", e.b, e.a)
	}
	return keeps()
}
