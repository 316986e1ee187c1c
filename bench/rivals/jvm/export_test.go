package jvm

// Locate25In looks in folders of virtual machines that match a pattern, and returns the java found.
func Locate25In(pattern string) (java string, err error) {
	k, err := locate25In([]string{pattern})
	return k.java, err
}
