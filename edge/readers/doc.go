// Package readers is the page of the counter's fingerprint readers: all that
// are found with make, model, serial, level and certificate, which one
// customers' fingers are asked from, and a test with the agent's own finger. An
// owner chooses here which reader is the counter's: after an exchange or a service,
// too.
//
// It promises that looking disturbs no capture, that a test sends and keeps
// nothing of the finger, and that a page is shown without waiting for a reader
// once there was a look. A page says no more of a reader than is known: the one
// in use is told of as in the status bar; when the device finds a change the
// others are looked at anew by Run, and until that is done the page says so; an
// open page's look is never older than a minute, and its time is shown. Readers come from the device by the interface Device;
// they leave as a table in the operator's language.
package readers
