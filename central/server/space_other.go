//go:build !linux

package server

// freeSpace knows nothing where no central is installed.
func freeSpace(string) (free, size int64, known bool) { return 0, 0, false }
