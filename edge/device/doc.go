// Package device is the counter's fingerprint reader: edge.Device on the
// registered-device (RD) services of this computer, which galla/rdservice
// speaks with.
//
// # Promises
//
//   - State never waits. It is what the last look found, and says in words for
//     the agent what to do where no capture can start.
//   - One capture at a time. A second one is told 'busy' at once, and asks the
//     reader for nothing.
//   - A reader that captures is not disturbed: no service is asked anything
//     meanwhile, and a look that is under way is broken off first.
//   - A finger is asked for once. Only a service at which nothing listened any
//     more, so that nothing was asked, is looked for again; 'still starting'
//     (-1509) is asked again by rdservice, a few times.
//   - A capture that was given up may go on in the service for the customer's
//     time. Meanwhile the reader counts as still ending it, not as held by
//     another program, and the next capture looks first.
//   - Fingers are taken with the counter's reader alone, known by its serial number
//     and device code (Pin): any program can listen where readers are looked for.
//     The first reader that is ready and says who it is becomes the counter's, once,
//     and that is recorded and logged; another one does by an owner's word (Use). A
//     capture whose own DeviceInfo is another device's is not sent.
//   - PidData passes byte for byte, in types that cannot be printed.
//   - Whatever goes wrong is a *edge.CaptureError: the service's code, what
//     kind of help is wanted, and a sentence with what happened and what to do.
//
// # The way of the data
//
//	Run, every Scan ──► Discover ──► Info ──► pick ──► state ──► OnChange
//	                                   │
//	                                   ▼ the reader
//	Capture ──► (look, unless READY) ──► CAPTURE ──► judged ──► edge.Capture
//	                                                        └─► *edge.CaptureError
//
// Where none is the counter's yet, the reader is the READY service that captured
// last; else the one that rdservice ranks best, READY before USED before NOTREADY. Where the reader is
// not READY, Capture asks it all the same: a service knows better than its
// status what is wrong, and answers with its code.
//
// A capture of low but usable quality (qScore 25 to 44) is accepted: the counter
// asks for the finger once more, then the bank decides, and the agent sees the
// quality. One below is refused here.
package device
