package pairs

import "time"

// command adds a command some time after the last one.
func (d *draft) command(name string, t *task, from, to int) {
	last := time.Duration(0)
	for _, c := range d.commands {
		last = max(last, c.at)
	}
	d.commands = append(d.commands,
		command{use: &use{byName[name], d.rng.Uint64()}, task: t, at: last + d.between(from, to)})
}

// commandBefore adds a command before the last one that was added.
func (d *draft) commandBefore(name string, by int) {
	last := d.commands[len(d.commands)-1]
	d.commandAt(name, max(0, last.at-d.between(1, by)))
}

func (d *draft) commandAt(name string, at time.Duration) {
	d.commands = append(d.commands, command{use: &use{byName[name], d.rng.Uint64()}, at: at})
}
