package implicit

import (
	"time"

	"other/go-executor"
)

func hidden() {
	executor.Run()
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}
