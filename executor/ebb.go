package executor

import "maps"

// ebb is a map that gives back the room it does not need any more. One of Go's keeps what it once
// had. The zero ebb is empty.
type ebb[K comparable, V any] struct {
	entries map[K]V
	most    int // entries at once, since the map was made
}

// The room of fewLeft entries is kept. A map that had more is made anew when it is empty, or as few
// are left as one of ebbed: to copy these is little, for each that has gone before.
const (
	fewLeft = 1 << 10
	ebbed   = 32
)

func (e *ebb[K, V]) put(key K, value V) {
	if e.entries == nil {
		e.entries = map[K]V{}
	}
	e.entries[key] = value
	e.most = max(e.most, len(e.entries))
}

func (e *ebb[K, V]) remove(key K) {
	delete(e.entries, key)
	left := len(e.entries)
	if e.most <= fewLeft || left > e.most/ebbed {
		return
	}
	kept := make(map[K]V, left)
	if left > 0 {
		maps.Copy(kept, e.entries)
	}
	e.entries, e.most = kept, left
}
