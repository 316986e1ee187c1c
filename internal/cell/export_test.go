package cell

// InBody reports whether a body of the task is in progress.
func (c *Cell) InBody() bool { return c.state.Load()&body != 0 }
