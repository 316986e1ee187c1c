package stories_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// phrase is something that a story may say, to a subject of type S. Of its words, N stands for a
// number, D for a duration, W for a word or a text in quotes, and one|two for either.
type phrase[S any] struct {
	words string
	means func(S, args)
}

// args are what the placeholders of a phrase stand for, in their order.
type args []any

func (a args) number(i int) int         { return a[i].(int) }
func (a args) time(i int) time.Duration { return a[i].(time.Duration) }
func (a args) word(i int) string        { return a[i].(string) }

// spoken are the phrases that some story has used.
var spoken = map[string]bool{}

// say has the subject do what the text means. It fails if no phrase matches.
func say[S any](phrases []phrase[S], text string, subject S) error {
	words := split(text)
	for _, p := range phrases {
		if a, ok := match(strings.Fields(p.words), words); ok {
			spoken[p.words] = true
			p.means(subject, a)
			return nil
		}
	}
	return fmt.Errorf("no phrase of a story is like %q", text)
}

// match compares a phrase with a text, both in words.
func match(pattern, words []string) (a args, ok bool) {
	if len(pattern) != len(words) {
		return nil, false
	}
	for i, word := range words {
		switch pattern[i] {
		case "N":
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil, false
			}
			a = append(a, n)
		case "D":
			d, err := time.ParseDuration(word)
			if err != nil {
				return nil, false
			}
			a = append(a, d)
		case "W":
			a = append(a, word)
		default:
			if !slices.Contains(strings.Split(pattern[i], "|"), word) {
				return nil, false
			}
		}
	}
	return a, true
}

// split returns the words of a text. What is in double quotes is one word.
func split(text string) (words []string) {
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
