package implicit

import (
	"time"

	"other/go-executor"
)

func hidden() {
	executor.Run()
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			work()
			<-t.C
		}
	}()
}
