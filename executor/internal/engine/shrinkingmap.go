package engine

import "maps"

// shrinkingMap is a map that gives back memory it no longer needs, which Go's own map never does.
// The zero shrinkingMap is empty.
type shrinkingMap[K comparable, V any] struct {
	entries map[K]V
	most    int // largest number of entries since the map was made
}

// Room for keptRoom entries is kept. A map that had more is made anew once only one entry in
// shrinkBelow is left: copying that one costs little for each of those that have gone.
const (
	keptRoom    = 1 << 10
	shrinkBelow = 32
)

func (m *shrinkingMap[K, V]) put(key K, value V) {
	if m.entries == nil {
		m.entries = map[K]V{}
	}
	m.entries[key] = value
	m.most = max(m.most, len(m.entries))
}

func (m *shrinkingMap[K, V]) remove(key K) {
	delete(m.entries, key)
	left := len(m.entries)
	if m.most <= keptRoom || left > m.most/shrinkBelow {
		return
	}
	kept := make(map[K]V, left)
	if left > 0 {
		maps.Copy(kept, m.entries)
	}
	m.entries, m.most = kept, left
}
