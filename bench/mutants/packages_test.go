package main

import (
	"slices"
	"testing"
	"time"
)

func TestTheNearestAndQuickestPackagesComeFirst(t *testing.T) {
	needs := map[string]bool{"core": true}
	packages := []*tested{
		{path: "far", needs: needs, cost: time.Second},
		{path: "slow", imports: []string{"core"}, needs: needs, cost: time.Minute},
		{path: "core", cost: time.Hour},
		{path: "stranger"},
		{path: "quick", imports: []string{"core"}, needs: needs, cost: time.Second},
	}
	for most, want := range map[int][]string{
		0: {"core"},
		1: {"core", "quick", "slow"},
		2: {"core", "quick", "slow", "far"},
	} {
		var got []string
		for _, p := range near(packages, "core", most) {
			got = append(got, p.path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", most, got, want)
		}
	}
}

func TestAFolderOfTestsIsAsNearAsThePackageAboveThatTheyTest(t *testing.T) {
	byPath := map[string]listed{
		"core":  {ImportPath: "core", Imports: []string{"heap"}},
		"other": {ImportPath: "other", Imports: []string{"list"}},
	}
	folder := listed{ImportPath: "core/conformance/rows", XTestImports: []string{"core", "other"}}
	if got, want := importsOf(folder, byPath), []string{"core", "other", "heap"}; !slices.Equal(got, want) {
		t.Errorf("a folder of tests: %v, want %v", got, want)
	}
	folder.Imports = []string{"list"}
	if got, want := importsOf(folder, byPath), []string{"list", "core", "other"}; !slices.Equal(got, want) {
		t.Errorf("a package: %v, want %v", got, want)
	}
}
