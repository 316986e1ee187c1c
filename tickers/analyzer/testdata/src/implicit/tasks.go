package implicit

import (
	"time"

	"other/executor"
)

func free() {
	tasks.Run()
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
	print(time.Now().String())
}
