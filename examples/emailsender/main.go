// Emailsender sends mails no faster than its provider allows, tries again what fails for now, and
// does not insist where an address is unknown.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/future"
)

// provider fails for now with one mail in five, and for good with each twentieth.
type provider struct{}

func (provider) Send(_ context.Context, m Mail) error {
	time.Sleep(5 * time.Millisecond)
	var n int
	if _, err := fmt.Sscanf(m.To, "user%d", &n); err != nil || n%20 == 19 {
		return ErrBounced
	}
	if rand.IntN(5) == 0 {
		return errors.New("try again later")
	}
	return nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	sender := NewSender(provider{}, 20, 200*time.Millisecond)
	begun := time.Now()
	var sent []*future.Future[struct{}]
	for i := range 100 {
		f, err := sender.Send(ctx, Mail{To: fmt.Sprintf("user%d@example.com", i), Subject: "News"})
		if err != nil {
			log.Fatal(err) //nolint:gocritic // the process ends
		}
		sent = append(sent, f)
	}
	delivered, bounced, failed := 0, 0, 0
	for _, f := range sent {
		switch _, err := f.Get(ctx); {
		case err == nil:
			delivered++
		case errors.Is(err, ErrBounced):
			bounced++
		default:
			failed++
		}
	}
	fmt.Printf("%d delivered, %d bounced, %d failed, in %v\n", delivered, bounced, failed,
		time.Since(begun).Round(100*time.Millisecond))
	if report, err := sender.Close(ctx); err != nil {
		log.Fatal(err, report)
	}
}
