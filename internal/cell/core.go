package cell

import "context"

// Core is what a future is made of. Package future defines its Future as this type, with methods of
// its own. So the executors of this module can convert one into the other at no cost, and nobody
// else gets at the cell.
type Core[V any] struct {
	value V // written by the runner before it settles the cell
	cell  Cell
}

// Cell returns the cell of the future.
func (c *Core[V]) Cell() *Cell { return &c.cell }

// Ref returns what the handle of the task is made of.
func (c *Core[V]) Ref() Ref { return Ref{&c.cell} }

// Ref is what a handle is made of: package executor defines its Handle as this type, as futures are
// defined as Core. It is comparable; the zero Ref refers to no cell.
type Ref struct{ cell *Cell }

// RefTo returns a Ref to c.
func RefTo(c *Cell) Ref { return Ref{c} }

// Cell returns the cell, or nil.
func (r Ref) Cell() *Cell { return r.cell }

// Value returns the value of a cell that is full.
func (c *Core[V]) Value() V { return c.value }

// SetValue sets the value. Only the runner may call it.
func (c *Core[V]) SetValue(v V) { c.value = v }

// Bind returns fn as a body that stores its value in the core.
func (c *Core[V]) Bind(fn func(context.Context) (V, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		v, err := fn(ctx)
		if c.cell.Phase() == Running {
			c.value = v
		}
		return err
	}
}
