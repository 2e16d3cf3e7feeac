// Package rdsim is a simulated registered device: an RD service that behaves as
// those at real counters do, with a finger on the glass that anyone may choose.
//
// It promises what a test and a trial need: the protocol in the shapes of
// several makers, the real cryptography under a test authority, strict checks
// of PidOptions with the specification's codes, and every trouble of the field
// on demand. Its dpId begins with 'SIM.', so that nobody mistakes it for a real
// device, and its fingers are synthetic (rdcrypto.Template).
//
// It reads fingers, or irises or a face by its profile. It answers at loopback
// addresses, http or https with a certificate that it signed itself, and one
// program may serve several devices (Listen).
//
// Data enters in three ways, all on each of the addresses:
//
//	RDSERVICE /, DEVICEINFO, CAPTURE   the RD protocol
//	/sim/finger, /sim/device,          tests and integrators (sandbox.md,
//	/sim/script, /sim/journal          'Interfaces for tests and integrators')
//	GET /                              a page, for people
//
// and leaves as PidData that only the holder of the authority's key can open,
// and as the journal, which holds no payload. The page and /sim refuse requests
// of foreign origin, but for the pages that Config.Origins names, which may capture and
// place a finger. State lives in memory and ends with the program.
//
// The life of the device:
//
//	NOTREADY ◄──/sim/device──► READY ──CAPTURE──► USED ──reply──► READY
//
// A Device is an http.Handler, for tests, and a server (Run), for programs.
package rdsim
