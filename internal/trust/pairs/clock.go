package pairs

import "time"

// clock tells the time since the beginning of a life.
type clock struct{ start time.Time }

func (c *clock) now() time.Duration           { return time.Since(c.start) }
func (c *clock) at(d time.Duration) time.Time { return c.start.Add(d) }
