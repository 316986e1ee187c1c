package metrics

import (
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

// Set reads the metrics of some pools and loops. It is made by [Of], holds nothing but them, and
// may be used by several goroutines at once. A pool that has been shut down is read like any other,
// and keeps its last figures.
type Set struct{ sources []source }

// Of returns the metrics of pools and loops. Their names tell them apart, so each needs one of its
// own, see [executor.Name]; one of them may do without. Of returns an error that matches
// [executor.ErrInvalid] and says which name is there twice, or that a source is nil.
func Of(sources ...Source) (*Set, error) {
	set := new(Set)
	for _, s := range sources {
		next, err := named(s)
		if err != nil {
			return nil, err
		}
		for _, other := range set.sources {
			if other.name == next.name {
				return nil, twice(next.name)
			}
		}
		set.sources = append(set.sources, next)
	}
	return set, nil
}

func twice(name string) error {
	if name == "" {
		return fmt.Errorf("%w: metrics of two pools without a name", executor.ErrInvalid)
	}
	return fmt.Errorf("%w: metrics of two pools with the name %q", executor.ErrInvalid, name)
}

// Pools returns the names of the pools and loops, in the order given. They are values of the
// attribute "pool".
func (s *Set) Pools() []string {
	names := make([]string, len(s.sources))
	for i, source := range s.sources {
		names[i] = source.name
	}
	return names
}

// Read returns the whole table with the values of the moment. No two points of a family have the
// same attributes. The figures of one pool are of some moments, one right after the other. Read
// takes the lock of each pool a few times for a moment: for that long that it copies about 1 KiB
// for each name of a task, and looks at each task of which something is expected. It calls no user
// code.
func (s *Set) Read() []Family {
	families := make([]Family, len(table))
	for i, row := range table {
		families[i].Metric = row.Metric
	}
	for _, source := range s.sources {
		seen := see(source)
		for i, row := range table {
			if !seen.counted && !row.ofHealth() {
				continue
			}
			to := points{source.name, families[i].Points}
			row.read(seen, &to)
			families[i].Points = to.list
		}
	}
	return families
}
