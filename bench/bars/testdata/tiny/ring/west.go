package ring

const angle = len(`
in a string, // a line is code`)

// west leads east, by a type and its field in north.go, and to outside.go.
func west(c compass) int { return c.points + outside() + east() }
