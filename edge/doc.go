// Package edge runs the counter's operations, from the agent's click to the
// final outcome.
//
// It promises that no operation is executed twice: the counter sends an
// operation once and after that only asks for its outcome. Each step is written
// to the queue, with fsync, before it takes effect or is shown, and pages show
// what was read back from the queue. PidData and OTPs exist in memory only,
// until they are sent or their deadline passes.
//
// Requests enter through the methods of Counter, from the pages. Facts enter
// through Counter.Receive, from the uplink. The queue, the uplink and the
// fingerprint reader are the interfaces of ports.go. The states are described
// in state.go, the cash of transfers in cash.go.
package edge
