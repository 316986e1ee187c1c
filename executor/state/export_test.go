package state

// Disk is what the file needs of a file system.
type Disk = disk

// These are for tests.
var (
	OpenOn      = open
	Encode      = encode
	Decode      = decode
	Files  Disk = system{}
)
