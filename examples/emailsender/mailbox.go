package main

import (
	"errors"
	"io"
	"net"
	"net/mail"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// mailbox is a mail server on this machine, which keeps what it gets.
type mailbox struct {
	server   *smtp.Server
	listener net.Listener
	address  string
	served   chan error

	mu     sync.Mutex
	faults map[string][]fault // of the next mails to an address; when there is none left it is taken
	mails  []*mail.Message    // with the text for a body
	texts  []string
}

// fault is what goes wrong with a mail: at its address, or when it is there.
type fault struct {
	refused error
	broken  bool // the connection ends in the middle
	slow    time.Duration
}

var (
	errBusy    = &smtp.SMTPError{Code: 451, Message: "try again later"}
	errUnknown = &smtp.SMTPError{Code: 550, Message: "no such user"}
	errSpam    = &smtp.SMTPError{Code: 554, Message: "we do not like it"}
)

func openMailbox(faults map[string][]fault) (*mailbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &mailbox{listener: l, address: l.Addr().String(), faults: faults, served: make(chan error, 1)}
	b.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &delivery{mailbox: b, conn: c}, nil
	}))
	b.server.Domain = "localhost"
	b.server.ErrorLog = silence{}
	go func() { b.served <- b.server.Serve(l) }()
	return b, nil
}

// Close ends the server, with its connections.
func (b *mailbox) Close() error {
	err := b.server.Close()
	_ = b.listener.Close() // the server knows of it only once it serves
	return errors.Join(err, <-b.served)
}

// next returns what goes wrong with the next mail to an address.
func (b *mailbox) next(to string) fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	if rest := b.faults[to]; len(rest) > 0 {
		b.faults[to] = rest[1:]
		return rest[0]
	}
	return fault{}
}

// delivery is one connection.
type delivery struct {
	mailbox *mailbox
	conn    *smtp.Conn
	fault   fault
}

func (d *delivery) Mail(string, *smtp.MailOptions) error { return nil }

func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error {
	d.fault = d.mailbox.next(to)
	if errors.Is(d.fault.refused, errSpam) {
		return nil // it is refused when it is read
	}
	return d.fault.refused
}

func (d *delivery) Data(r io.Reader) error {
	if d.fault.broken {
		return d.conn.Conn().Close()
	}
	time.Sleep(d.fault.slow)
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(m.Body)
	if err != nil {
		return err
	}
	if d.fault.refused != nil {
		return d.fault.refused
	}
	d.mailbox.mu.Lock()
	defer d.mailbox.mu.Unlock()
	d.mailbox.mails = append(d.mailbox.mails, m)
	d.mailbox.texts = append(d.mailbox.texts, string(text))
	return nil
}

func (d *delivery) Reset()        {}
func (d *delivery) Logout() error { return nil }

// silence is a log for connections that are meant to break.
type silence struct{}

func (silence) Printf(string, ...any) {}
func (silence) Println(...any)        {}
