package main

import "strings"

// room is how many may wait.
const room = 10

// bounds has the promise about a bound.
func bounds() []promise {
	return []promise{{
		name: "a bound refuses exactly at the bound",
		program: lines("open 1 10", "hold", "crowd 40", "release",
			"sleep 500ms"),
		judge: judgeBound, slow: true,
	}}
}

func judgeBound(j journal, _ documents) verdict {
	e, _ := j.first("crowded")
	if e.a != room {
		return breaks("%d of 40 accepted, with room for %d", e.a, room)
	}
	ran := 0
	for _, id := range j.begun() {
		if strings.HasPrefix(id, "crowd-") {
			ran++
		}
	}
	if ran != room {
		return breaks("%d accepted, %d ran", e.a, ran)
	}
	return keeps()
}
