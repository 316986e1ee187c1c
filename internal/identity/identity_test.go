package identity_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/identity"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Skip("no tables of zones: ", err)
	}
	return l
}

type (
	function func()
	dates    []time.Time
	memo     struct {
		_    sync.Mutex
		seen map[int]int
	}
	line struct {
		Minutes uint64
		Zone    *time.Location
	}
	counter struct{ asked int }
	named   struct {
		name string
		next func()
	}
	text struct {
		line string
		next func()
	}
	even  int
	wraps struct {
		time.Time
		offset int
	}
)

func (t text) String() string { return t.line }

func (e even) Equal(other even) bool { return e%2 == other%2 }

func TestWhatMeansTheSameIsTheSame(t *testing.T) {
	berlin, again := zone(t, "Europe/Berlin"), zone(t, "Europe/Berlin")
	require.NotSame(t, berlin, again)
	day := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	_, _ = day.In(berlin).Zone() // which the location remembers
	shared := new(counter)
	for _, pair := range [][2]any{
		{nil, nil},
		{1, 1},
		{berlin, again},
		{line{5, berlin}, line{5, again}},
		{&line{5, berlin}, &line{5, again}},
		{dates{day}, dates{day.In(berlin)}},
		{even(2), even(4)},
		{[]any{even(1), "x"}, []any{even(3), "x"}},
		{shared, shared},
		{text{"a", func() {}}, text{"a", func() {}}},
	} {
		assert.Equal(t, identity.Same, identity.Compare(pair[0], pair[1]), "%#v", pair)
	}
}

func TestWhatDiffersIsAnother(t *testing.T) {
	day := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	berlin, york := zone(t, "Europe/Berlin"), zone(t, "America/New_York")
	for _, pair := range [][2]any{
		{nil, 1},
		{1, int64(1)},
		{berlin, york},
		{time.FixedZone("", 60), time.FixedZone("", 120)},
		{line{5, berlin}, line{6, berlin}},
		{&line{5, berlin}, &line{5, york}},
		{&line{5, nil}, &line{5, york}},
		{(*counter)(nil), new(counter)},
		{dates{day}, dates{day, day}},
		{dates{day}, dates{day.Add(1)}},
		{even(2), even(3)},
		{named{"a", nil}, named{"b", nil}},
		{text{"a", func() {}}, text{"b", func() {}}},
		{wraps{day, 1}, wraps{day, 2}},
		{[1]any{1}, [1]any{"1"}},
	} {
		assert.Equal(t, identity.Other, identity.Compare(pair[0], pair[1]), "%#v", pair)
	}
}

func TestWhatCannotBeComparedIsUnknown(t *testing.T) {
	for _, pair := range [][2]any{
		{function(func() {}), function(func() {})},
		{&memo{seen: map[int]int{}}, &memo{seen: map[int]int{1: 1}}},
		{&counter{1}, &counter{2}},
		{named{"a", func() {}}, named{"a", func() {}}},
		{map[int]int{}, map[int]int{}},
	} {
		assert.Equal(t, identity.Unknown, identity.Compare(pair[0], pair[1]), "%#v", pair)
	}
}

func TestASliceThatContainsItselfIsCompared(t *testing.T) {
	type loop []any
	a, b := loop{nil}, loop{nil}
	a[0], b[0] = a, b
	assert.Equal(t, identity.Unknown, identity.Compare(a, b))
}
