package alerts

import (
	"fmt"
	"time"
)

// OK is the [Alert.State] of a task, or pool, that is well again.
const OK = "ok"

// Alert is what the webhook gets, as a JSON object. Slack, Mattermost, Google Chat and others show
// its text.
type Alert struct {
	Text  string    `json:"text"`            // all of it, in a sentence
	Pool  string    `json:"pool,omitempty"`  // its name
	Task  string    `json:"task,omitempty"`  // its name; empty for the whole pool
	State string    `json:"state"`           // a value of insight.Trouble.What, or "ok"
	Was   string    `json:"was"`             // the state that was told before
	Since time.Time `json:"since,omitzero"`  // when it began; not of "ok"
	At    time.Time `json:"at"`              // when it was seen
	Count uint64    `json:"count,omitempty"` // of runs in a row that have failed or expired

	// Reason is the last error, or what else says why; what Config.Redact leaves of it.
	Reason string `json:"reason,omitempty"`
}

// text returns the alert in a sentence.
func (a Alert) text() string {
	about := fmt.Sprintf("pool %q", a.Pool)
	if a.Task != "" {
		about = fmt.Sprintf("task %q of %s", a.Task, about)
	}
	if a.State == OK {
		return about + " is ok again, it was " + a.Was
	}
	text := about + " is " + a.State
	if !a.Since.IsZero() {
		text += " since " + a.Since.UTC().Format(time.RFC3339)
	}
	if a.Count > 1 {
		text += fmt.Sprintf(", %d runs in a row", a.Count)
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}
