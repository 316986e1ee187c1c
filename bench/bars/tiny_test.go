package bars

import (
	"slices"
	"strings"
	"testing"
)

// The house in testdata/tiny is small enough to count by hand.
func TestATinyHouseIsMeasuredRightly(t *testing.T) {
	t.Setenv("GOWORK", "off") // the modules in testdata belong to no workspace
	h := entered(t, "testdata/tiny", "testdata/walk")
	for _, c := range []struct {
		name    string
		measure func(*house) (figure, error)
		want    int
		part    string // of what the figure consists of
	}{
		{"methods, with three in disguise", biggestReceiver, 6, "audit"},
		{"a circle of three files", largestCircle, 3, "ring/east.go ring/north.go ring/west.go"},
		{"files that lock", usersOf("shop.Shop.mu"), 2, "shop/clerk.go 2: 10 11"},
		{"places that count", writesTo("shop.Shop.sold", "shop.Shop.served"), 3, "shop/shop.go 2"},
		{"calls of those who count", callsOfWriters("shop.Shop.sold"), 2, "shop/clerk.go 1"},
		{"lines that name the ledger", namesFrom([]string{"shop/ledger.go"},
			[]string{"shop/page.go"}), 4, "shop/shop.go 3"},
		{"files", filesIn("shop"), 4, ""},
		{"lines of code", hundredsOfCode("ring"), 1, "lines: 15"},
		{"median body", bodyAt(50), 0, ""},
		{"longest tenth of bodies", bodyAt(90), 4, "shop/clerk.go:9 restock: 5"},
		{"fields that are functions", functionFields, 2, "round hello"},
		{"names without a comment", undocumented("shop"), 2, "Bare Shop.Bare"},
		{"functions of a call", functionsOf("Buy"), 3, "ledger.note"},
		{"files of a call", filesOf("Buy"), 2, "shop/shop.go 2"},
	} {
		f, err := c.measure(h)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if f.value != c.want || !strings.Contains(f.String(), c.part) {
			t.Errorf("%s: %d, want %d with %q, in\n%s", c.name, f.value, c.want, c.part, f)
		}
	}
}

func TestWhatIsGoneIsNotMeasuredAsNothing(t *testing.T) {
	t.Setenv("GOWORK", "off") // the modules in testdata belong to no workspace
	h := entered(t, "testdata/tiny", "testdata/walk")
	for name, measure := range map[string]func(*house) (figure, error){
		"a field":                  usersOf("shop.Shop.lock"),
		"a field of another type":  usersOf("shop.Till.mu"),
		"a counter":                writesTo("shop.Shop.sold", "shop.Shop.returned"),
		"a counter that stays":     writesTo("shop.Shop.hello"),
		"who counts":               callsOfWriters("shop.Shop.returned"),
		"a home":                   namesFrom([]string{"shop/ledger.go", "shop/book.go"}, nil),
		"a package":                filesIn("market"),
		"code":                     hundredsOfCode("ring/testdata"),
		"exports":                  undocumented("ring"),
		"a call":                   functionsOf("Sell"),
		"a call, asked for a file": filesOf("Sell"),
	} {
		if f, err := measure(h); err == nil {
			t.Errorf("%s that is gone counts as %d", name, f.value)
		}
	}
}

func TestALimitIsKeptAndTightened(t *testing.T) {
	b := bar{name: "rooms", counts: "rooms of a house", limit: 7}
	for value, want := range map[int]string{
		7: "",
		8: "rooms: 8, above the limit of 7",
		6: "rooms: 6, below the limit of 7: lower it to 6",
		0: "rooms: 0, below the limit of 7",
	} {
		err := b.judge(figure{value: value, parts: []string{"kitchen"}})
		if want == "" {
			if err != nil {
				t.Errorf("%d: %v", value, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d: %v, want %q", value, err, want)
		}
	}
}

func TestFilesThatOnlyLeadToACircleAreNotInIt(t *testing.T) {
	g := graph{
		"a": {"b": true},
		"b": {"c": true},
		"c": {"b": true, "d": true},
		"d": {},
	}
	got := g.circles()
	want := [][]string{{"a"}, {"b", "c"}, {"d"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("circles are %v, want %v", got, want)
	}
}

func entered(t *testing.T, dir, program string) *house {
	h, err := enter(dir, program)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
