package pairs

import (
	"context"
	"time"
)

// endings are the ways to end an executor. One may follow another.
var endings = []*definition{
	{
		Feature: Feature{Name: "Shutdown", API: []string{"Pool.Shutdown", "Loop.Shutdown"}},
		end:     func(l *life) { l.host.executor.Shutdown() },
	},
	{
		Feature: Feature{
			Name: "ShutdownNow", API: []string{"Pool.ShutdownNow", "Loop.ShutdownNow"},
		},
		end: func(l *life) { l.handedBack(l.host.executor.ShutdownNow()) },
	},
	{
		Feature: Feature{Name: "Close", API: []string{"Pool.Close", "Loop.Close"}},
		end:     func(l *life) { l.closed(l.host.executor.Close()) },
	},
	{
		Feature: Feature{
			Name: "CloseContext", API: []string{"Pool.CloseContext", "Loop.CloseContext"},
		},
		end: func(l *life) {
			limit := ms * time.Duration(1+mix(l.seed+7)%60)
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			from := l.now()
			report, err := l.host.executor.CloseContext(ctx)
			if l.now() > from+limit {
				l.found.late("CloseContext of %v took %v", limit, l.now()-from)
			}
			if err == nil {
				l.closed(nil)
			}
			l.handedBack(report.Dropped)
		},
	},
	{
		Feature: Feature{Name: "Run", API: []string{"Pool.Run"}, hosts: pools},
		end: func(l *life) {
			limit := ms * time.Duration(1+mix(l.seed+8)%40)
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			from := l.now()
			err := l.host.pool.Run(ctx, limit)
			if l.now() > from+limit {
				l.found.late("Run with a grace of %v took %v", limit, l.now()-from)
			}
			// Its workers may be on their way out still, if the grace is over at the same time.
			if n := len(l.host.pool.Running()); err == nil && n > 0 {
				l.found.early("Run returns while %d run", n)
			}
		},
	},
	{
		Feature: Feature{
			Name: "ShutdownGracefully", API: []string{"Loop.ShutdownGracefully"}, hosts: loop,
		},
		end: func(l *life) {
			_ = l.host.loop.ShutdownGracefully(ms*time.Duration(mix(l.seed)%10), 20*ms)
		},
	},
}
