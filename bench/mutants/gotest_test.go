package main

import (
	"strings"
	"testing"
)

// seen is the verdict after the lines, of which the last but one may be all that is of interest.
func seen(lines ...string) verdict {
	var w watch
	for _, line := range lines {
		if w.note(line) {
			break
		}
	}
	return w.verdict()
}

func TestTheFirstTestThatFailsIsTheOneThatCounts(t *testing.T) {
	v := seen(
		`{"Action":"start","Package":"p"}`,
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"pass","Package":"p","Test":"TestA"}`,
		`{"Action":"run","Package":"p","Test":"TestB"}`,
		`{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: bad\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestB"}`,
		`{"Action":"fail","Package":"p","Test":"TestC"}`,
	)
	if !v.failed || v.broken || v.test != "TestB" || v.how != "fails" || !strings.Contains(v.output, "bad") {
		t.Errorf("%+v", v)
	}
}

func TestTestsThatPassAreNoFailure(t *testing.T) {
	v := seen(
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"pass","Package":"p","Test":"TestA"}`,
		`{"Action":"skip","Package":"p","Test":"TestB"}`,
		`not an event`,
		`{"Action":"pass","Package":"p"}`,
	)
	if v.failed || v.broken {
		t.Errorf("%+v", v)
	}
}

func TestAPanicOnAnotherGoroutineIsThatOfTheTestThatRuns(t *testing.T) {
	v := seen(
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"pause","Package":"p","Test":"TestA"}`,
		`{"Action":"run","Package":"p","Test":"TestB"}`,
		`{"Action":"run","Package":"p","Test":"TestC"}`,
		`{"Action":"pass","Package":"p","Test":"TestC"}`,
		`{"Action":"output","Package":"p","Output":"panic: index out of range\n"}`,
		`{"Action":"fail","Package":"p"}`,
	)
	if !v.failed || v.test != "TestB" || v.how != "panics" {
		t.Errorf("%+v", v)
	}
}

func TestAHangIsThatOfTheTestThatRanWhenTheTimeWasOver(t *testing.T) {
	v := seen(
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"run","Package":"p","Test":"TestA/sub"}`,
		`{"Action":"output","Package":"p","Test":"TestA/sub","Output":"panic: test timed out after 30s\n"}`,
		`{"Action":"output","Package":"p","Test":"TestA/sub","Output":"\trunning tests:\n"}`,
		`{"Action":"output","Package":"p","Test":"TestA/sub","Output":"\t\tTestA (30s)\n"}`,
		`{"Action":"output","Package":"p","Test":"TestA/sub","Output":"\t\tTestA/sub (30s)\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestA/sub"}`,
	)
	if !v.failed || v.test != "TestA" || v.how != "hangs" {
		t.Errorf("%+v", v)
	}
}

func TestADataRaceIsToldFromAnOrdinaryFailure(t *testing.T) {
	v := seen(
		`{"Action":"run","Package":"p","Test":"TestA"}`,
		`{"Action":"output","Package":"p","Test":"TestA","Output":"WARNING: DATA RACE\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestA"}`,
	)
	if !v.failed || v.test != "TestA" || v.how != "races" {
		t.Errorf("%+v", v)
	}
}

func TestWhatDoesNotBuildIsNoFailureOfATest(t *testing.T) {
	v := seen(
		`{"ImportPath":"p","Action":"build-output","Output":"p/a.go:3:2: undefined: x\n"}`,
		`{"ImportPath":"p","Action":"build-fail"}`,
		`{"Action":"fail","Package":"p","FailedBuild":"p"}`,
	)
	if v.failed || !v.broken || !strings.Contains(v.output, "undefined: x") {
		t.Errorf("%+v", v)
	}
}
