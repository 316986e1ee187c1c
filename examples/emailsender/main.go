// Emailsender sends mails by SMTP, no faster than its provider allows. It tries again what fails for
// now, and does not insist where an address is unknown. The provider is a server in this process.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/mail"
	"os/signal"
	"syscall"
	"time"

	"github.com/punctual-go/punctual/future"
)

const mails = 100

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
}

func run(ctx context.Context) (err error) {
	provider, err := openMailbox(troubles())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, provider.Close()) }()
	sender := NewSender(&SMTP{Address: provider.address, Patience: 5 * time.Second,
		From: mail.Address{Name: "News", Address: "news@example.com"}}, 20, 200*time.Millisecond)
	begun := time.Now()
	var sent []*future.Future[struct{}]
	for i := range mails {
		f, err := sender.Send(ctx, Mail{To: address(i), Subject: "News", Body: "There are some."})
		if err != nil {
			break // at a signal nothing more is accepted
		}
		sent = append(sent, f)
	}
	// What is accepted has ten seconds to go out.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	report, err := sender.Close(end)
	if err != nil {
		err = fmt.Errorf("%d mails are not sent: %w", len(report.Dropped)+len(report.Running), err)
	}
	delivered, bounced, failed := count(sent)
	fmt.Printf("%d delivered, %d bounced, %d failed, in %v\n", delivered, bounced, failed,
		time.Since(begun).Round(100*time.Millisecond))
	return err
}

func count(sent []*future.Future[struct{}]) (delivered, bounced, failed int) {
	for _, f := range sent {
		result, _ := f.Poll()
		switch {
		case result.Err == nil:
			delivered++
		case errors.Is(result.Err, ErrBounced):
			bounced++
		default:
			failed++
		}
	}
	return delivered, bounced, failed
}

func address(i int) string { return fmt.Sprintf("user%d@example.com", i) }

// troubles has the provider busy with each fifth mail, and each twentieth address unknown.
func troubles() map[string][]fault {
	faults := map[string][]fault{}
	for i := range mails {
		switch {
		case i%20 == 19:
			faults[address(i)] = []fault{{refused: errUnknown}}
		case i%5 == 0:
			faults[address(i)] = []fault{{refused: errBusy}}
		}
	}
	return faults
}
