//go:build !linux

package server

// freeSpace is not known here: centrals are installed on Linux only.
func freeSpace(string) (free, size int64, known bool) { return 0, 0, false }
