package analyzer

// because adds a reason for which there is no fix, if that holds and there is none yet: one is
// enough, and the first is what strikes the reader first.
func because(known string, holds bool, why string) string {
	if known == "" && holds {
		return why
	}
	return known
}
