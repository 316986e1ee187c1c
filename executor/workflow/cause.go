package workflow

import (
	"context"

	"github.com/punctual-go/punctual/executor"
)

// Cause is an upstream job with the runs for which another one runs.
type Cause struct {
	Name   string
	Runs   uint64           // that count, at least 1
	Missed uint64           // the sum of what [executor.Run] says of these
	Last   executor.LastRun // of them
}

// causesKey is the key of the causes among the values of a context.
type causesKey struct{}

// Causes returns why the run of a job takes place in whose context, or a context derived from that,
// it is called: a cause for each upstream job with runs that count. It returns none for a run that
// was triggered otherwise, and for any other context. All attempts of a run have the same causes.
func Causes(ctx context.Context) []Cause {
	if ctx == nil {
		return nil
	}
	causes, _ := ctx.Value(causesKey{}).([]Cause)
	return causes
}

// merged returns the causes of one run that takes the place of two.
func merged(earlier, later []Cause) []Cause {
	if len(earlier) == 0 {
		return later
	}
	all := append([]Cause(nil), earlier...)
next:
	for _, c := range later {
		for i := range all {
			if all[i].Name == c.Name {
				all[i].Runs += c.Runs
				all[i].Missed += c.Missed
				all[i].Last = c.Last
				continue next
			}
		}
		all = append(all, c)
	}
	return all
}
