// Package credential holds what a central proves itself with, and what it opens
// its secrets with: its keys and its certificate, as files that an operator
// looks after.
//
// It promises that a central for customers has every key before it starts, each
// drawn at random and for one purpose; and that a certificate which is renewed
// is shown without a restart, while one that can't be read leaves the former in
// use. No error quotes a key.
//
// Keys and certificate enter as files (and, for the master keys of vendors'
// keys, from the environment's text); they leave as secret.Key for the parts
// that need them, and as the TLS of a listener.
package credential
