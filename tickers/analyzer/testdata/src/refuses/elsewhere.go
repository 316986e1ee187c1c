package refuses

import "time"

var elsewhere = time.Second

// The period is set in a file that is not built here.
func systems() {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			work()
			time.Sleep(elsewhere)
		}
	}()
}
