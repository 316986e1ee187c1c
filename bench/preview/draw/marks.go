package draw

import "strings"

// marks is a line of labels, each at its place if there is room.
type marks []rune

func newMarks(width int) marks { return marks(strings.Repeat(" ", width)) }

// put writes a label where it is free, with a blank on the left unless that is a mark of one
// letter.
func (m marks) put(at int, label string) {
	runes := []rune(label)
	if at < 0 || at+len(runes) > len(m) {
		return
	}
	for i := range runes {
		if m[at+i] != ' ' {
			return
		}
	}
	if at > 0 && m[at-1] != ' ' && m[at-1] != '|' {
		return
	}
	copy(m[at:], runes)
}

func (m marks) text() string { return strings.TrimRight(string(m), " ") }
