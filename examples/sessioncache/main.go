// Sessioncache holds a million sessions with a deadline each, on a timing wheel: it shows what they
// cost in memory, and that they are gone soon after their time.
package main

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"time"
)

func main() {
	n := flag.Int("n", 1_000_000, "how many sessions")
	ttl := flag.Duration("ttl", 3*time.Second, "how long they last after their last use")
	flag.Parse()

	before := heap()
	sessions := NewSessions[int](*ttl, 10*time.Millisecond)
	defer sessions.Close()
	begun := time.Now()
	for i := range *n {
		sessions.Put(strconv.Itoa(i), i)
	}
	fmt.Printf("%d sessions in %v, %d bytes each\n", *n, time.Since(begun).Round(time.Millisecond),
		(heap()-before)/uint64(max(*n, 1)))
	for end := time.Now().Add(*ttl + *ttl/2); sessions.Len() > 1 && time.Now().Before(end); {
		sessions.Get("7") // this one is in use
		time.Sleep(*ttl / 6)
		fmt.Printf("%7d sessions after %v\n", sessions.Len(), time.Since(begun).Round(100*time.Millisecond))
	}
	_, ok := sessions.Get("7")
	fmt.Println("the one in use is there:", ok)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
