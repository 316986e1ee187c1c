package pairs

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// groupCommands are given to the group of the life, and to its completion service.
var groupCommands = []*definition{
	{
		Feature: Feature{Name: "Group.SetLimit", API: []string{"Group.SetLimit"}, ways: groupWays},
		shape: func(d *draft, t *task, u *use) {
			d.commandAt("Group.SetLimit", t.at-2*ms)
			d.members(t, 2)
		},
		command: func(l *life, _ *record, u *use) {
			l.host.group.SetLimit(1 + u.pick(0, 8)/7)
		},
		observed: func(l *life, u *use) {
			for _, r := range l.journal.records {
				if r.t.way.way&groupWays == 0 {
					continue
				}
				refused := r.refusedBy(executor.ErrSaturated)
				if refused || r.answeredAt > r.submitted {
					l.marks.task(u.Feature, r)
				}
				if refused && r.t.way.way == wTryGo { // which does not wait for its turn
					l.marks.task(r.t.way.Feature, r)
				}
			}
		},
	},
	{
		Feature: Feature{
			Name: "Group.Cancel", ender: true, API: []string{"Group.Cancel", "Group.Context"},
			ways: groupWays,
		},
		shape: func(d *draft, t *task, u *use) {
			d.addBody(t, d.oneOf("body blocks",
				"body succeeds"))
		},
		command: func(l *life, _ *record, u *use) {
			l.host.group.Cancel(errCaller)
			for _, r := range l.journal.all() {
				if r.t.way.way&groupWays != 0 && l.journal.stillOpen(r) {
					l.journal.losesContext(r)
					l.marks.task(u.Feature, r)
				}
			}
		},
	},
	{
		Feature: Feature{Name: "Group.Wait", API: []string{"Group.Wait"}, ways: groupWays},
		command: func(l *life, _ *record, u *use) {
			from := l.now()
			_ = l.host.group.Wait()
			l.marks.span(u.Feature, from, l.now())
			l.audit.checkNoMember()
		},
	},
	{
		Feature: Feature{
			Name: "CompletionService.Take", ways: wCompletion | wCompletionContext,
			API: []string{"CompletionService.Take", "CompletionService.All",
				"CompletionService.Poll", "CompletionService.Outstanding"},
		},
		shape: func(d *draft, t *task, u *use) { d.commandAt("CompletionService.Take", t.at+ms) },
		command: func(l *life, _ *record, u *use) {
			ctx, cancel := endingAfter(ms * time.Duration(1+u.pick(1, 100)))
			defer cancel()
			from := l.now()
			switch u.pick(0, 3) {
			case 0:
				if _, err := l.host.service.Take(ctx); err == nil {
					l.marks.span(u.Feature, from, l.now())
				}
			case 1:
				for range l.host.service.All(ctx) {
					l.marks.span(u.Feature, from, l.now())
				}
			case 2:
				if _, ok := l.host.service.Poll(); ok {
					l.marks.span(u.Feature, from, l.now())
				}
				l.host.service.Outstanding()
			}
		},
	},
}
