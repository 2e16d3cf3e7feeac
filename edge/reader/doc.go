// Package reader implements edge.Reader on the registered-device (RD) services of
// this computer, through package rdservice.
//
// It promises:
//   - State does not block; it is the result of the last scan.
//   - One capture runs at a time; a second one fails at once. No service is called
//     during a capture, and a running scan is cancelled first.
//   - Each capture is asked for once, except that a service at which nothing
//     listened any more is searched again, and rdservice repeats 'still starting'
//     (-1509). After a cancelled capture the reader is busy for the customer's time.
//   - Only the counter's own reader is used, known by serial number and device code
//     (Identity), since any program can listen on the ports. The first READY reader
//     with an identity is assigned; an owner can assign another (Assign). A capture
//     whose DeviceInfo is of another device is discarded.
//   - PidData is passed on unchanged, in types that can't be printed.
//
// Run scans every ScanInterval. Without an assigned reader it uses the READY service
// that captured last, else the best of rdservice's order. A reader that is not READY
// is asked all the same: its answer says more than its status. A capture with a
// qScore below 25 is refused here (rdservice.md).
package reader
