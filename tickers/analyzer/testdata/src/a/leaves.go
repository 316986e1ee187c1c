package a

import (
	"log"
	"testing"
	"time"
)

// Work as long as there is some, and a pause when there is none.
func drains(t *time.Ticker) {
	go func() {
		for {
			if done() {
				continue
			}
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for {
			if try() == nil {
				continue
			}
			<-t.C
		}
	}()
}

// An event that may go on, and one that does not leave, whatever its name says.
func eventsThatEnd(events chan int, t *time.Ticker, s span) {
	go func() {
		for {
			select {
			case e := <-events:
				if e != 0 {
					work()
					break
				}
				return
			case <-t.C:
				work()
			}
		}
	}()
	go func() {
		for {
			select {
			case e := <-events:
				if e != 0 {
					continue
				}
				return
			case <-t.C:
				work()
			}
		}
	}()
	go func() {
		for {
			select {
			case <-events:
				s.Exit()
			case <-t.C:
				work()
			}
		}
	}()
	go func() {
		for range t.C { // want `ad-hoc ticker`
			s.Exit()
		}
	}()
}

type span struct{}

func (span) Exit() {}

// They wait for something, and then end it all.
func fatal(tt *testing.T, logger *log.Logger) {
	go func() {
		for {
			time.Sleep(time.Second)
			if done() {
				log.Fatalln("done")
			}
		}
	}()
	go func() {
		for {
			time.Sleep(time.Second)
			if done() {
				logger.Panicf("done")
			}
		}
	}()
	go func() {
		for {
			time.Sleep(time.Second)
			if done() {
				tt.FailNow()
			}
		}
	}()
	go func() {
		for { // want `ad-hoc ticker`
			time.Sleep(time.Second)
			if tt.Skipped() { // it only asks
				work()
			}
		}
	}()
}
