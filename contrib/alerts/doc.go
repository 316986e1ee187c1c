// Package alerts tells others how the tasks of pools are: a webhook, once per change, when a task
// or a pool is in trouble and when it is well again, and heartbeats, which are pings of a URL when
// a task has succeeded, as healthchecks.io wants them.
//
//	alerter, err := alerts.New(alerts.Config{
//		Webhook:    "https://hooks.slack.com/services/…",
//		Heartbeats: map[string]string{"backup": "https://hc-ping.com/…"},
//	})
//	pool := executor.NewScheduledPool(4, executor.Name("jobs"),
//		executor.Watch(insight.Config{History: true}), executor.Observe(alerter.Observer()))
//	err = alerter.Watch(pool)
//	…
//	err = alerter.Close(ctx) // before the pool's, after it, or instead
//
// # Alerts
//
// Every ten seconds, see [Config], the alerter looks at the pools that it watches. The state of a
// task is its worst [insight.Trouble], or "ok". The webhook gets a POST with a JSON object, see
// [Alert], when the state has become another: once, not again while it stays. A pool without the
// history of [insight.Config] has only what its health tells: "dead", "late" and "starved". A pool
// that is shut down is no longer looked at; what was told of it stands.
//
// Of one task there is at most one alert in [Config.Interval]. If its state flaps meanwhile, what
// it is at the end of the interval is told, if that is another than the one told last. If an alert
// cannot be delivered, the state counts as not told: so it is tried anew at the next interval.
//
// # Heartbeats
//
// A task that [Config.Heartbeats] names has its URL pinged after each run that succeeds, with
// URL/start before each run if [Config.Starts] says so, and with URL/fail and the reason as the
// body when it comes to be in trouble, or in another. A run that returns executor.ErrSkipped pings
// nothing; do not set Starts for tasks that skip. Attempts of executor.Retry that fail are no
// failures yet, and of several attempts each begins with a start.
//
// # Delivery
//
// All is sent by the alerter's own workers. No run waits for it: to hand over a ping is a lock and
// a submission. What is to be sent to one place is sent in order; a ping that says the same as the
// one waiting before it is merged with that. An attempt may take [Config.Timeout]; up to
// [Config.Attempts] follow each other, with back-off, after a refused connection, a timeout, and
// the answers 408, 429 and 5xx. Any other answer but 2xx is final. A redirect is not followed, as
// the URLs and texts are secrets of the host they were given for; the body of an answer is not read
// beyond 4 KiB. What waits is bounded, see [Config.Pending]: a server that is down delays nothing
// for another, unless four of them hang at a time. What is given up, refused for lack of room, or
// cut off by Close is counted, see [Stats], and logged, without the URL.
package alerts
