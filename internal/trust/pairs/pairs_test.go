package pairs_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/internal/trust/pairs"
)

// number returns a number from the environment, or the given one.
func number(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

func TestPairsMeanTogetherWhatTheyMeanApart(t *testing.T) {
	first, n := number("PUNCTUAL_FIRST_SEED", 1), number("PUNCTUAL_SEEDS", 500)
	about := pairs.Named(strings.Split(os.Getenv("PUNCTUAL_ABOUT"), ", "))
	var all pairs.Report
	for seed := first; seed < first+n; seed++ {
		all.Add(pairs.Run(t, seed, about...))
	}
	for _, fault := range all.Faults {
		t.Error(fault)
	}
	if all.Bad() > 0 {
		t.Errorf("%d faults in %d lives", all.Bad(), all.Lives)
	}
	seen := map[*pairs.Feature]bool{}
	effective := 0
	for i, n := range all.Seen {
		if n > 0 {
			effective++
			seen[pairs.Pairs()[i].A], seen[pairs.Pairs()[i].B] = true, true
		}
	}
	for _, f := range pairs.Features() {
		if !seen[f] && n >= 500 {
			t.Errorf("%s has had no effect in %d lives", f.Name, n)
		}
	}
	t.Logf("%d lives, %d operations; %d of %d pairs were effective", all.Lives, all.Ops, effective,
		len(pairs.Pairs()))
	if path := os.Getenv("PUNCTUAL_PAIRS"); path != "" {
		if err := os.WriteFile(path, []byte(all.Seen.Table()), 0o644); err != nil {
			t.Error(err)
		}
	}
}
