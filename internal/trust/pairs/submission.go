package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// submit submits the task of a record.
func (l *life) submit(r *record) {
	l.found.op()
	defer func() {
		if v := recover(); v != nil && v != errCallback {
			l.found.lost("the submission of %v panics: %v", r.t, v)
		}
		l.journal.returns(r)
	}()
	definitionOf(r.t.way.Feature).submit(l, r, l.optionsOf(r))
}

// optionsOf returns the options of a task.
func (l *life) optionsOf(r *record) (all taskOpts) {
	if r.t.way.way&bulkWays != 0 {
		return nil
	}
	for _, u := range r.t.options {
		all = append(all, definitionOf(u.Feature).task(l, r.t, u)...)
	}
	if !r.t.unnamed {
		all = append(all, executor.Name(r.t.name()))
	}
	return all
}

// answer notes what the submission of a task has returned.
func (l *life) answer(r *record, f *future.Future[struct{}], err error) {
	l.journal.answered(r, f, err)
	if err != nil || r.t.way.way&bulkWays != 0 { // which may succeed though one is refused
		l.course.refuses()
	}
	if err == nil {
		l.marks.task(r.t.way.Feature, r)
	}
}

// answerWith is answer for a future with a result.
func (l *life) answerWith(r *record, f *future.Future[int], err error) {
	if f != nil {
		l.journal.hasTyped(r, f)
	}
	l.answer(r, nil, err)
}

func (l *life) answerTimed(r *record, f *executor.ScheduledFuture[struct{}], err error) {
	if f == nil {
		l.answer(r, nil, err)
		return
	}
	l.journal.hasHandle(r, f.Handle)
	l.answer(r, f.Future, err)
}

func (l *life) answerTyped(r *record, f *executor.ScheduledFuture[int], err error) {
	if f == nil {
		l.answer(r, nil, err)
		return
	}
	l.journal.hasHandle(r, f.Handle)
	l.answerWith(r, f.Future, err)
}

// bulk calls a function that submits several tasks and waits for them.
func (l *life) bulk(r *record, call func(ctx context.Context) error) {
	ctx, cancel := limited(r)
	defer cancel()
	l.journal.taint(r)
	l.answer(r, nil, call(ctx))
}

// limited returns a context that ends the wait of the submission of some tasks.
func limited(r *record) (context.Context, context.CancelFunc) {
	if r.t.salt%2 == 0 {
		return context.Background(), func() {}
	}
	return endingAfter(ms * time.Duration(1+r.t.salt%50))
}
