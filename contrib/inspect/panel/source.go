package panel

import (
	"context"
	"errors"
	"time"
)

// Source is something that a page can show beside the pools of its process.
type Source interface {
	// About says what the panel is. It is called once, when the panel is added to the page, and
	// should return at once.
	About() About

	// Read returns what there is at an address. It is [ErrNotFound] if nothing is, or not any more;
	// any other error is shown. It changes nothing. The page takes the view for its own: neither it
	// nor what it refers to may be changed afterwards.
	Read(ctx context.Context, at Query) (View, error)

	// Act does what a viewer has asked for who may act, and reports whether that has changed
	// anything. It decides for itself whether the command makes sense: a form may be old, and may
	// have been written by hand. It is [ErrNotFound] if there is no such thing or verb, [ErrStale]
	// if the thing is another by now than the one of the command's version, and [ErrDenied] if the
	// source itself may not do that; any other error is shown. Its context has the values of the
	// request, and does not end with it.
	Act(ctx context.Context, c Command) (done bool, err error)
}

// About is what a panel is.
type About struct {
	Name  string // the same in each process that shows the same; its address, if it can be one
	Kind  string // what it is, in a word or two
	Lists []List
	// Refresh is how long an answer is kept while it is looked at: 5 s for 0, and at least 1 s.
	Refresh time.Duration
}

// List is a list of a panel.
type List struct {
	Name   string // in addresses: small letters, digits and hyphens, a letter first
	Title  string
	Hidden bool // no link leads to it but those of views
}

// Query is an address of a panel. Everything in it may have been written by hand.
type Query struct {
	List string // a name of About's lists; empty for the overview
	ID   string // of a thing on the list; empty for the list itself

	Search string // what the viewer looks for, up to 200 bytes; only for lists
	Choice string // what was chosen of a table's Choices, or something else, up to 200 bytes
	After  string // Next of the page before; empty for the first one
}

// Command is what is to be done.
type Command struct {
	List, ID string // the thing it is done to
	Verb     string // see [Action]
	Version  string // of the thing, as the viewer saw it
}

var (
	// ErrNotFound says that nothing is at an address, or nothing is any more.
	ErrNotFound = errors.New("nothing is here, or not any more")
	// ErrStale says that the viewer saw something else than what is there now.
	ErrStale = errors.New("it has changed meanwhile: load the page again")
	// ErrDenied says that the source may not do something for anyone.
	ErrDenied = errors.New("the page itself has no right to do that")
)
