// Package telemetry measures a central: Prometheus metrics, the spans of operations
// (shared/telemetry), and the names of request and operation in log lines.
//
// A wrapper calls what it wraps once, with the same arguments, and returns its
// results and errors unchanged. Every label has a known set of values, or a limit
// above which values are counted as 'other'; no label can name a person. The domain
// does not import this package: it wraps the interfaces that the domain declares.
//
// Data enters by WrapHandler (requests), WrapStore (steps of operations) and WrapBank
// (requests to the bank). It leaves by Registry, which the admin address serves, by
// spans, and by LogHandler.
//
// # Metrics
//
//	galla_requests_total{entrance,route,outcome}    answered requests
//	galla_request_seconds{entrance,class}           their duration
//	galla_requests_replayed_total{entrance}         repeats, answered from the record
//	galla_operations_total{route,state}             steps to pending and to final states
//	galla_operation_state_seconds{state,class}      time in a state that was left
//	galla_bank_requests_total{method,kind,result}   requests to the bank
//	galla_bank_request_seconds{method}              their duration
//	galla_bank_codes_total{code}                    the bank's response codes
//	galla_issuer_requests_total{issuer,result}      requests by the customer's bank (IIN)
//	galla_issuer_request_seconds{issuer}
//	galla_upi_payments_total{event,source,match,limit} payments by UPI, and their returns
//
// An operation that was pending before its final outcome is counted in both states.
package telemetry
