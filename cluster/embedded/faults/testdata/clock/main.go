// Command clock is a server whose wall clock a file sets while it runs: it is off by so many seconds
// as the file says. Its monotonic clock goes on. It is built with an overlay of package time, in
// which SetOff is.
package main

import (
	"flag"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	config := flag.String("c", "", "the server's configuration")
	off := flag.String("off", "", "the file")
	flag.Parse()
	o, err := server.ProcessConfigFile(*config)
	if err != nil {
		panic(err)
	}
	set := func() {
		text, err := os.ReadFile(*off)
		if err != nil {
			return // being written
		}
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			time.SetOff(n)
		}
	}
	set()
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			set()
		}
	}()
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	if err := server.Run(s); err != nil {
		panic(err)
	}
	s.WaitForShutdown()
}
