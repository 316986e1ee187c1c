package catalogue

// How takers wait: one leads, the others follow, and whoever leaves passes the baton.
var leader = []Mutant{
	{
		ID:    "leader-01",
		Fault: "a taker whose context has ended passes no baton",
		File:  "delayqueue/queue.go",
		From:  "q.leave(w, now)\n q.mu.Unlock()",
		To:    "if q.closed || !ended(done) { q.leave(w, now) } else if w != nil { q.spare = append(q.spare, w) }; q.mu.Unlock()",
	},
	{
		ID:    "leader-02",
		Fault: "a taker that leaves with an element passes no baton",
		File:  "delayqueue/queue.go",
		From:  "q.leave(w, now)\n q.mu.Unlock()",
		To:    "if q.closed || ended(done) { q.leave(w, now) } else if w != nil { q.spare = append(q.spare, w) }; q.mu.Unlock()",
	},
	{
		ID:    "leader-03",
		Fault: "an earlier head does not bring the alarm of the leader forward",
		File:  "internal/parking/lot.go",
		From:  "case head > now:\n l.rearm(head, now)",
		To:    "case head > now:",
	},
	{
		ID:    "leader-04",
		Fault: "who finds an earlier head and follows does not tell the leader",
		File:  "internal/parking/lot.go",
		From:  "if head != Nothing { l.rearm(head, now) }\n return l.follow(w, done, limit)",
		To:    "return l.follow(w, done, limit)",
	},
	{
		ID:    "leader-05",
		Fault: "a follower that gives up just as it is called swallows the call",
		File:  "internal/parking/lot.go",
		From:  "l.coming--\n select { case <-w.call: default: }",
		To:    "select { case <-w.call: default: l.coming-- }",
	},
	{
		ID:    "leader-06",
		Fault: "a head that is due does not ring a leader who is alone",
		File:  "internal/parking/lot.go",
		From:  "default:\n l.ring()\n }\n return false",
		To:    "}\n return false",
	},
	{
		ID:    "leader-07",
		Fault: "after the leader has left, nobody is called to lead for a head that is not due yet",
		File:  "internal/parking/lot.go",
		From:  "l.call(l.top)\n case l.rung, l.armed <= now:",
		To:    "if head <= now { l.call(l.top) }\n case l.rung, l.armed <= now:",
	},
	{
		ID:    "leader-08",
		Fault: "a leader on a timerfd is not told that its context has ended",
		File:  "internal/parking/lot.go",
		From:  "if l.leader == w && !l.rung { l.ring() }",
		To:    "_ = w",
	},
	{
		ID:    "leader-09",
		Fault: "a leader that has been rung is set to a later time, and does not hear the ring",
		File:  "internal/parking/lot.go",
		From:  "l.rung = true\n l.alarm.Ring()",
		To:    "l.alarm.Ring()",
	},
	{
		ID:    "leader-10",
		Fault: "an element that is reset to an earlier time wakes nobody",
		File:  "delayqueue/item.go",
		From:  "q.lot.Notify(q.head(), now, false)",
	},
	{
		ID:    "leader-11",
		Fault: "closing a queue ends the wait of the leader only",
		File:  "delayqueue/queue.go",
		From:  "q.lot.CallAll()",
		To:    "q.lot.CallLeader()",
	},
	{
		ID:    "leader-12",
		Fault: "Poll gives out an element a nanosecond early",
		File:  "delayqueue/queue.go",
		From:  "if head := q.head(); head == parking.Nothing || head > now {\n var none E",
		To:    "if head := q.head(); head == parking.Nothing || head > now+1 {\n var none E",
	},
}
