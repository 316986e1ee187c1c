package gate_test

import (
	"context"
	"runtime"
	"time"
)

// misdeed is something that user code may do.
type misdeed struct {
	name  string
	fails bool // it does not return, which is to be told
	most  int  // calls that do it; the others do nothing; 0 for no limit
	do    func(l *life)
}

var misdeeds = []misdeed{
	{name: "panics", fails: true, do: func(*life) { panic("misdeed") }},
	{name: "panics with nil", fails: true, do: func(*life) { panic(nil) }},
	{name: "calls Goexit", fails: true, do: func(*life) { runtime.Goexit() }},
	{name: "panics during Goexit", fails: true, do: func(*life) {
		defer func() { panic("misdeed") }()
		runtime.Goexit()
	}},
	{name: "closes", do: func(l *life) { _ = l.system.Close() }},
	{name: "closes within a limit", do: func(l *life) {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, _ = l.system.CloseContext(ctx)
	}},
	{name: "shuts down now", do: func(l *life) { l.system.ShutdownNow() }},
	{name: "shuts down and waits", do: func(l *life) {
		l.system.Shutdown()
		_ = l.system.AwaitTermination(context.Background())
	}},
	{name: "blocks", do: func(l *life) { <-l.released }},
	{name: "submits", most: 20, do: func(l *life) { l.add(l.system.Submit(nothing)) }},
	{name: "cancels", do: func(l *life) {
		for _, f := range l.all() {
			f.Cancel()
		}
	}},
}

func nothing(context.Context) error { return nil }
