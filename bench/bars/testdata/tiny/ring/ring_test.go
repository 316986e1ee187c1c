package ring

var _ = west // tests do not count
