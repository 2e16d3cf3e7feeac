//go:build unix

// Package sandbox is the sandbox that `make run` starts: which programs there are,
// where they listen, their settings, and who is enrolled.
//
// It promises that nothing starts before every address is known to be free, that one
// data folder serves one supervisor at a time, and that a second start finds the data
// of the first. It writes into the data folder only the lock, the logs, and for a moment
// the files with the enrolment's secrets, mode 0600.
//
// Settings enter through ReadConfig from the environment (sandbox.md, section 1). The
// addresses, the credentials and the line `galla: ready` go to the screen, the programs'
// logs to another writer.
//
//	ReadConfig ─► lock ─► addresses free? ─► rdsim ─► bank ─► central ─► enrol ─► edge ─► ready
package sandbox
