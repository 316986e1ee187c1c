package inspect

// Forget has the next viewer get a new snapshot.
func (p *Page) Forget() { p.forget() }
