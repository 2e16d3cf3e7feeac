// Package readers is the page of the counter's fingerprint readers: all that
// are found with make, model, serial, level and certificate, which one
// customers' fingers are asked from, and a test with the agent's own finger.
//
// It promises that looking disturbs no capture, that a test sends and keeps
// nothing of the finger, and that a page is shown without waiting for a reader
// once there was a look. Readers come from the device by the interface Device;
// they leave as a table in the operator's language.
package readers
