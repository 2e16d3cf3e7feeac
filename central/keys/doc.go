// Package keys loads the keys and the TLS certificate of a central from the files that its
// operator manages.
//
// A production central has every key before it starts, each random and for one purpose. A
// renewed certificate is used without a restart; if it can't be read, the former one stays
// in use. No error quotes a key.
//
// Keys and certificate enter as files, the master keys of vendors' keys also as text from
// the environment. They leave as secret.Key, and as the TLS of listeners.
package keys
