package main

// failures has the promises about tasks that panic, or throw.
func failures() []promise {
	return []promise{
		{
			name: "a panic harms no other task",
			program: lines("open 1", "?rate series 10ms 10ms", "soon bad fail", "sleep 50ms",
				"soon next", "until next 1", "?until series 20"),
			judge: judgePanic,
		},
		{
			name:    "a panic is told by the future",
			program: lines("open 1", "soon good", "get good 2s", "soon bad fail", "get bad 2s"),
			judge:   judgeTold,
		},
	}
}

func judgePanic(journal, documents) verdict {
	return keeps() // as what has to run has run
}

func judgeTold(j journal, _ documents) verdict {
	if got, _ := j.of("bad").first("got"); got.text != "failed" {
		return breaks("the future says: %s", got.text)
	}
	return keeps()
}
