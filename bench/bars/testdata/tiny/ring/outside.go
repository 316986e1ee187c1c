package ring

func outside() (angle int) {
	return angle // a local name leads nowhere
}
