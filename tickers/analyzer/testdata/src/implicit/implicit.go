package implicit

import (
	"time"

	"other/go-executor"
)

func hidden() {
	executor.Run()
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}
