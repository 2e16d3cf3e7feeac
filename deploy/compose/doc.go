// Package compose runs a central on one machine: compose.yaml has the central, its
// PostgreSQL, and HAProxy in front. It has no code of its own; deploy/tools checks
// compose.yaml.
//
// Its test runs HAProxy with these configurations in front of a real central. It
// promises that only TLS 1.3 is accepted, that terminals' websockets and requests pass,
// that a caller cannot forge its address, that the admin address is not reachable
// through the proxy, and that people on the machine reach the console on its own port.
package compose
