package tool

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// did puts into the pool's audit what was done, and says it. The package does so itself for the
// commands of a series.
func (t *tool) did(ctx context.Context, p *cluster.Pool, e cluster.AuditEntry) {
	t.say(e)
	if err := p.Note(ctx, e); err != nil {
		fmt.Fprintln(t.errs, "punctual: it is done, but not in the audit of the pool:",
			cleaned(err.Error(), longestError))
	}
}

// say says on the standard error what was done.
func (t *tool) say(e cluster.AuditEntry) {
	line := fmt.Sprintf("%s %s pool=%s by=%s", time.Now().UTC().Format(time.RFC3339), e.Verb, t.Pool,
		whoami())
	for _, of := range [][2]string{
		{"task", e.Task}, {"series", e.Series}, {"id", e.ID}, {"detail", e.Detail},
	} {
		if of[1] != "" {
			line += fmt.Sprintf(" %s=%q", of[0], of[1])
		}
	}
	fmt.Fprintln(t.errs, line)
}
