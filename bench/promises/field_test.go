package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestWithoutAnyJDKItsColumnsAreALineEach(t *testing.T) {
	noJDK(t)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-systems", "punctual", "-about"}, &out, &out); err != nil {
		t.Fatal(err)
	}
	f, err := findField()
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	want := "The systems of Java 25 are left out: there is no such JDK: JAVA25_HOME is not set"
	if len(f.notices) != 2 || !strings.HasPrefix(f.notices[1], want) {
		t.Error(f.notices)
	}
	if len(f.contenders) != len(systems()) {
		t.Error(f.names())
	}
}

func TestFieldAsksEachForEach(t *testing.T) {
	noJDK(t)
	f, err := findField()
	if err == nil {
		err = f.choose("ants,pond")
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.ask(t.Context(), []promise{promiseNamed(t, "a panic is told by the future")})
	if err != nil {
		t.Fatal(err)
	}
	want := `|  | ants | pond |
|---|:-:|:-:|
| a panic is told by the future | n/a (1) | kept |

1. no futures
`
	if got := m.markdown(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestBadArgumentsAreErrors(t *testing.T) {
	noJDK(t)
	var out bytes.Buffer
	for want, args := range map[string][]string{
		`there is no system "sundial"`:    {"-systems", "ants,sundial"},
		`there is no promise "to return"`: {"-trace", "to return"},
		`unexpected argument "now"`:       {"now"},
	} {
		if err := run(t.Context(), args, &out, &out); err == nil || err.Error() != want {
			t.Errorf("%v: %v; want %s", args, err, want)
		}
	}
}
