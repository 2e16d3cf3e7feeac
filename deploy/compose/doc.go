// Package compose is a central on one machine: compose.yaml with the central, its
// PostgreSQL and HAProxy in front, and HAProxy's configurations. It has no code of
// its own; deploy/tools judges compose.yaml.
//
// Its test runs HAProxy with that configuration before a real central, and
// promises that TLS 1.3 is spoken and nothing older, that terminals' websockets
// and calls pass, that a caller can't say where it comes from, that the admin address
// can't be reached through it, and that people of the machine reach the console by the
// way that is theirs. Data enters as the files; nothing leaves.
package compose
