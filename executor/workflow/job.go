package workflow

import "github.com/punctual-go/punctual/executor"

// Job is a job, and which others it follows.
type Job struct {
	executor.Job

	// After are the jobs that this one follows: it runs when each of them has had a run that meets
	// its condition, or one of them, if Any is set. The job then has none of Every, Rate, Delay, On
	// and Initial, and is on demand. All names are those of other jobs of the same call, which may
	// be disabled; no job may follow itself, however many others are in between.
	After []Upstream
	Any   bool
}

// Upstream is a job that another follows.
type Upstream struct {
	Name string
	When Condition // OnSuccess if it is empty
}

// Condition says which runs of an upstream job count. The comment of the package has a table.
type Condition string

// The conditions.
const (
	OnSuccess Condition = "success"
	OnFailure Condition = "failure"
	Always    Condition = "always"
)

// outcome is how a run has ended.
type outcome string

const (
	succeeded outcome = "succeeded"
	failed    outcome = "failed"
	skipped   outcome = "was skipped"
	cancelled outcome = "was cancelled"
)

// met reports whether a run that has ended so counts.
func (c Condition) met(o outcome) bool {
	switch c {
	case OnSuccess:
		return o == succeeded
	case OnFailure:
		return o == failed
	}
	return true
}
