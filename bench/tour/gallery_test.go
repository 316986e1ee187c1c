package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is what the tour has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestThePageIsThereDuringTheTourAndAfter(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout output
	code := make(chan int)
	go func() { code <- run(ctx, []string{"-open", "-for", "1s", "-out", t.TempDir()}, &stdout, io.Discard) }()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/punctual/`)
	var url string
	for url == "" {
		time.Sleep(ms)
		url = address.FindString(stdout.String())
	}
	look(t, url)
	for !strings.Contains(stdout.String(), "until Ctrl-C") {
		time.Sleep(10 * ms)
	}
	look(t, url+"pool/service/")
	interrupt()
	if c := <-code; c != exitOK {
		t.Errorf("exit code %d", c)
	}
	if _, err := http.Get(url); err == nil {
		t.Error("the page is still there")
	}
}

func look(t *testing.T, url string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || !bytes.Contains(body, []byte("service")) {
		t.Errorf("%s: %s", url, answer.Status)
	}
}
