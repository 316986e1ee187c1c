package ring

type compass struct{ points int }

// north leads west, by a constant.
func north() int {
	/* not
	   code */
	return angle
}
