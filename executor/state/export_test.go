package state

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// Disk is what the file needs of a file system.
type Disk = disk

// These are for tests.
var (
	OpenOn      = open
	Encode      = encode
	Decode      = decode
	Files  Disk = system{}
)

// Sealed returns data with the checksum that it should have.
func Sealed(data []byte) []byte {
	return fmt.Appendf(bytes.Clone(data), "\n%s%08x\n", checksum,
		crc32.Checksum(append(bytes.Clone(data), '\n'), castagnoli))
}
