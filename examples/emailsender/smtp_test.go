package main

import (
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, faults map[string][]fault) *mailbox {
	t.Helper()
	b, err := openMailbox(faults)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

func to(b *mailbox) *SMTP {
	return &SMTP{Address: b.address, From: mail.Address{Name: "Nöws", Address: "news@example.com"},
		Patience: 300 * time.Millisecond}
}

func TestAMailArrivesAsItWasWritten(t *testing.T) {
	b := open(t, nil)
	m := Mail{ID: "1", To: "Ü <user@example.com>", Subject: "Grüße\r\nBcc: all@example.com",
		Body: "one\n.\n..two = 2\n" + strings.Repeat("längere Zeile ", 50) + "\nend"}
	require.NoError(t, to(b).Send(t.Context(), m))
	require.Len(t, b.mails, 1)
	head := b.mails[0].Header
	assert.Equal(t, "<1@example.com>", head.Get("Message-ID"))
	assert.Empty(t, head.Get("Bcc"), "a subject adds no header")
	subject, err := new(mime.WordDecoder).DecodeHeader(head.Get("Subject"))
	require.NoError(t, err)
	assert.Equal(t, m.Subject, subject)
	from, err := head.AddressList("From")
	require.NoError(t, err)
	assert.Equal(t, "Nöws", from[0].Name)
	_, err = head.Date()
	require.NoError(t, err)
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(b.texts[0])))
	require.NoError(t, err)
	assert.Equal(t, m.Body, strings.ReplaceAll(strings.TrimSuffix(string(text), "\r\n"), "\r\n", "\n"))
}

// A server that is busy, breaks a connection, or does not answer, is asked again; one that refuses a
// mail for good is not. Each mail comes once, and under the ID of its first attempt.
func TestAServerWithFaults(t *testing.T) {
	b := open(t, map[string][]fault{
		"busy@example.com":    {{refused: errBusy}, {refused: errBusy}},
		"broken@example.com":  {{broken: true}},
		"slow@example.com":    {{slow: 2 * time.Second}},
		"unknown@example.com": {{refused: errUnknown}},
		"spam@example.com":    {{refused: errSpam}},
	})
	s := NewSender(to(b), 100, time.Second)
	outcomes := map[string]error{}
	for _, name := range []string{"busy", "broken", "slow", "fine"} {
		outcomes[name+"@example.com"] = nil
	}
	for _, name := range []string{"unknown@example.com", "spam@example.com", "nowhere"} {
		outcomes[name] = ErrBounced
	}
	for address, want := range outcomes {
		f := send(t, s, address)
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, want, address)
	}
	_, err := s.Close(t.Context())
	require.NoError(t, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := map[string]bool{}
	for _, m := range b.mails {
		ids[m.Header.Get("Message-ID")] = true
	}
	assert.Len(t, ids, 4)
}

// A server that is away is a matter for the next attempt.
func TestAServerThatIsAway(t *testing.T) {
	b, err := openMailbox(nil)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	err = to(b).Send(t.Context(), Mail{To: "user@example.com"})
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrBounced)
}
