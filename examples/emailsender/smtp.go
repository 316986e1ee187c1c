package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// SMTP hands mails to a server that speaks SMTP, each on a connection of its own.
type SMTP struct {
	Address  string        // host:port
	From     mail.Address  // who sends them
	TLS      *tls.Config   // for STARTTLS; nil only for a server on this machine
	Auth     sasl.Client   // such as sasl.NewPlainClient; nil for none
	Patience time.Duration // for an answer of the server
}

// Send implements [Server].
func (s *SMTP) Send(ctx context.Context, m Mail) error {
	to, err := mail.ParseAddress(m.To)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBounced, err)
	}
	conn, err := (&net.Dialer{Timeout: s.Patience}).DialContext(ctx, "tcp", s.Address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // breaks off what is going on
	client, err := s.greet(conn)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	defer client.Close() //nolint:errcheck // Quit has done so
	if err := s.deliver(client, to, m); err != nil {
		var answer *smtp.SMTPError
		if errors.As(err, &answer) && !answer.Temporary() {
			return fmt.Errorf("%w: %w", ErrBounced, err)
		}
		return err
	}
	_ = client.Quit() // the server has the mail, whatever it says now
	return nil
}

func (s *SMTP) greet(conn net.Conn) (client *smtp.Client, err error) {
	if s.TLS == nil {
		client = smtp.NewClient(conn)
	} else if client, err = smtp.NewClientStartTLS(conn, s.TLS); err != nil {
		return nil, err
	}
	client.CommandTimeout, client.SubmissionTimeout = s.Patience, s.Patience
	if s.Auth == nil {
		return client, nil
	}
	return client, client.Auth(s.Auth)
}

func (s *SMTP) deliver(client *smtp.Client, to *mail.Address, m Mail) error {
	if err := client.Mail(s.From.Address, nil); err != nil {
		return err
	}
	if err := client.Rcpt(to.Address, nil); err != nil {
		return err
	}
	data, err := client.Data()
	if err != nil {
		return err
	}
	if err := s.write(data, to, m); err != nil {
		return err // and no end of the mail: the server must not take half of it
	}
	return data.Close()
}

// write writes the mail with its headers. What comes from outside is encoded: it cannot add a
// header of its own.
func (s *SMTP) write(w io.Writer, to *mail.Address, m Mail) error {
	_, domain, _ := strings.Cut(s.From.Address, "@")
	_, err := fmt.Fprintf(w, "Date: %s\r\nMessage-ID: <%s@%s>\r\nFrom: %s\r\nTo: %s\r\nSubject: %s\r\n"+
		"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n",
		time.Now().Format(time.RFC1123Z), m.ID, domain, s.From.String(), to,
		mime.QEncoding.Encode("utf-8", m.Subject))
	if err != nil {
		return err
	}
	body := quotedprintable.NewWriter(w)
	if _, err := io.WriteString(body, m.Body); err != nil {
		return err
	}
	return body.Close()
}
