package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestBadFlagsAreRefusedWithAReason(t *testing.T) {
	tests := []struct {
		reason string
		args   []string
	}{
		{"at least 1", []string{"-rounds", "0"}},
		{"at most 1000", []string{"-rounds", "1001"}},
		{`invalid value "few"`, []string{"-rounds", "few"}},
		{"a name is empty", []string{"-workloads", ""}},
		{"a name is empty", []string{"-systems", "pool,,ants"}},
		{"-out is empty", []string{"-out", ""}},
		{"-java is empty", []string{"-java", ""}},
		{`unexpected argument "now"`, []string{"-quick", "now"}},
		{"not defined: -slow", []string{"-slow"}},
		{`no workload "nap"; there are schedule-cancel-1k, `, []string{"-workloads", "soon,nap"}},
		{`no system "toaster"; there are pool, ants`, []string{"-systems", "toaster,pool"}},
		{`no system "kettle"`, []string{"-systems", "toaster,kettle"}},
		{"nothing to measure", []string{"-systems", "ants", "-workloads", "soon"}},
		{"schedule-cancel-10M is left out", []string{"-quick", "-workloads", "schedule-cancel-10M"}},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(t, tt.args, fake("pool", figures(1), "soon", "schedule-cancel"), fake("ants", figures(1), "execute"))
		if code != exitUsage || !strings.Contains(stderr, tt.reason) || stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", tt.args, code, stdout, stderr)
		}
	}
}

func TestHelpIsNoError(t *testing.T) {
	code, stdout, stderr := run(t, []string{"-h"})
	for _, flag := range []string{"-quick", "-rounds times", "-workloads names", "-systems names", "-list", "-out directory", "-java path", "-before build", "-check"} {
		if code != exitOK || !strings.Contains(stdout, flag) || stderr != "" {
			t.Errorf("exit code %d, no %s in %q; stderr %q", code, flag, stdout, stderr)
		}
	}
}

func TestQuickHasFewerRoundsUnlessTheyAreGiven(t *testing.T) {
	for _, tt := range []struct {
		args    []string
		rounds  int
		command string
	}{
		{nil, defaultRounds, ""},
		{[]string{"-quick", "-check", "-out", "x", "-java", "/a/b"}, quickRounds, " -check -quick"},
		{[]string{"-quick", "-rounds", "7", "-systems", "pool, ants"}, 7, " -quick -rounds 7 -systems pool,ants"},
	} {
		o, err := parse(tt.args, io.Discard)
		if err != nil || o.rounds != tt.rounds || o.command != "go -C bench run ./rivals"+tt.command {
			t.Errorf("%q: %+v, %v", tt.args, o, err)
		}
	}
}

func TestNamesMayBeCutShortUnlessTheyAreWhole(t *testing.T) {
	all := []string{"pool", "pooled", "jdk-fixed", "jdk-timer", "ants"}
	for names, want := range map[string]string{
		"": "pool pooled jdk-fixed jdk-timer ants", "pool": "pool", "poo": "pool pooled", "ants,jdk": "jdk-fixed jdk-timer ants",
		"jdk-t,jdk-timer": "jdk-timer",
	} {
		var given []string
		if names != "" {
			given = strings.Split(names, ",")
		}
		got, err := choose("system", given, all, func(s string) string { return s })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v", names, got, err)
		}
	}
}

func TestListNamesWorkloadsAndSystems(t *testing.T) {
	code, stdout, _ := run(t, []string{"-list"}, fake("pool", "die", "soon"))
	for _, want := range []string{"schedule-cancel-10M   schedule and cancel, 10M pending\n", "pool  the pool of a test\n"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, stdout)
		}
	}
}

func TestNoFieldIsAFailureAndANoticeIsShown(t *testing.T) {
	var out, err bytes.Buffer
	c := fakes(&out, &err)
	c.find = func(java, _ string) (*field, error) { return nil, errors.New("no " + java) }
	if code := c.run(t.Context(), []string{"-java", "/nowhere"}); code != exitFailure || err.String() != "rivals: no /nowhere\n" {
		t.Errorf("exit code %d: %s", code, &err)
	}
	err.Reset()
	c.find = func(string, string) (*field, error) { return &field{notices: []string{"it is late"}}, nil }
	if code := c.run(t.Context(), []string{"-list"}); code != exitOK || err.String() != "rivals: it is late\n" {
		t.Errorf("exit code %d: %s", code, &err)
	}
}
