package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// bodyOf returns the body of a task.
func (l *life) bodyOf(r *record) executor.Task {
	return func(ctx context.Context) (err error) {
		b := l.begin(r, ctx)
		returned := false
		defer func() { l.journal.end(r, b, ctx, err, returned) }()
		if r.t.holds > 0 {
			time.Sleep(r.t.holds)
			returned = true
			return nil
		}
		err = definitionOf(b.how).body(l, r, b, ctx)
		returned = true
		return err
	}
}

// function is bodyOf with a result.
func (l *life) function(r *record) future.Func[int] {
	body := l.bodyOf(r)
	return func(ctx context.Context) (int, error) { return 1, body(ctx) }
}

func (l *life) functions(r *record, n int) (fs []future.Func[int]) {
	for range n {
		fs = append(fs, l.function(r))
	}
	return fs
}

// begin notes that a body begins, and checks that it may.
func (l *life) begin(r *record, ctx context.Context) *bodyRun {
	l.found.op()
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	b := l.journal.beginLocked(r, ctx)
	l.marks.begin(r, b, ctx)
	l.audit.checkBeginLocked(r, b)
	return b
}

// called is what each callback calls: it notes the effect, and behaves as the program says.
func (l *life) called(f *Feature, name string) {
	r := l.journal.named(name)
	l.marks.either(f, r)
	b := l.callbacks.next(f, r)
	if b == nil {
		return
	}
	l.marks.behaves(f, b, r)
	if r != nil {
		l.journal.taint(r)
	}
	definitionOf(b).behave(l, r)
}
