// Package watch sees what a central does and makes it measurable: Prometheus
// metrics, and the spans of operations (shared/trace).
//
// It promises that watching changes nothing: what it wraps is called once, with
// the same arguments, and its results and errors are handed on as they came.
// It promises bounded cardinality: every label has a known set of values, or a
// named limit above which values are counted as 'other', and none holds what
// could name a person. It promises that the domain does not know of it: it
// stands around the small interfaces that the domain declares.
//
// Data enters by the wrapped interfaces: calls by Calls (central.Dispatcher),
// an operation's steps by Steps (central.EngineStore), what the bank is asked
// by Bank (central.Bank). It leaves by Registry, which the admin address
// serves, by the spans, and by Log, which names the request and the operation
// in each line of a log whose context knows them.
//
// # Metrics
//
//	galla_calls_total{door,route,outcome}         calls that were answered
//	galla_call_seconds{door,class}                how long they took
//	galla_calls_replayed_total{door}              repeats, answered from the record
//	galla_operations_total{route,state}           steps to pending and to final states
//	galla_operation_state_seconds{state,class}    how long an operation was in a state it left
//	galla_bank_calls_total{call,kind,result}      what the bank was asked, and what came of it
//	galla_bank_call_seconds{call}                 how long it took
//	galla_bank_codes_total{code}                  the bank's response codes
//	galla_issuer_calls_total{issuer,result}       the same by the customer's bank (IIN)
//	galla_issuer_call_seconds{issuer}
//
// An operation that was pending and then ended is counted in both states.
package watch
