//go:build unix

// Package house is the sandbox that `make run` starts: which programs there
// are, where they listen, what each is told, and who is enrolled.
//
// It promises that nothing starts before every address is known to be free,
// that one data folder serves one supervisor at a time, and that a second
// start finds what the first left. It writes nothing into the data folder but
// the lock, the logs, and for a moment the files that carry the enrolment's
// secrets, mode 0600.
//
// Settings enter through ReadConfig from the environment (sandbox.md); the
// addresses, the credentials and the line `galla: ready` leave on the screen,
// the programs' logs on another writer.
//
//	ReadConfig ─► lock ─► addresses free? ─► rdsim ─► bank ─► central ─► enrol ─► edge ─► ready
package house
