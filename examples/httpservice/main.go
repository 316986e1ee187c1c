// Httpservice is a web service with scheduled jobs that ends in order: at SIGTERM it finishes the
// requests and jobs under way, and its exit code tells whether all could.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	length := flag.Duration("for", 2*time.Second, "end by itself after this time; 0 means never")
	address := flag.String("listen", "127.0.0.1:0", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *length > 0 {
		ctx, stop = context.WithTimeout(ctx, *length)
		defer stop()
		go visit(address)
	}
	l, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
	*address = l.Addr().String()
	fmt.Println("serving on http://" + *address + ", /healthz and /slow")
	s, err := NewService(10*time.Second, 500*time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Run(ctx, l); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ended in order")
}

// visit shows the service at work.
func visit(address *string) {
	for range 3 {
		time.Sleep(550 * time.Millisecond)
		answer, err := http.Get("http://" + *address)
		if err != nil {
			log.Print(err)
			return
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		fmt.Print(string(text))
	}
}
