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
//   - PidData passes byte for byte, in types that cannot be printed.
//   - Whatever goes wrong is a *edge.CaptureError: the service's code, what
//     kind of help is wanted, and a sentence with what happened and what to do.
//
// # The way of the data
//
//	Run, every Scan ──► Discover ──► choose ──► Info ──► state ──► OnChange
//	                                   │
//	                                   ▼ the reader
//	Capture ──► (look, unless READY) ──► CAPTURE ──► judged ──► edge.Capture
//	                                                        └─► *edge.CaptureError
//
// The reader is the READY service that captured last; else the one that
// rdservice ranks best, READY before USED before NOTREADY. Where the reader is
// not READY, Capture asks it all the same: a service knows better than its
// status what is wrong, and answers with its code.
//
// A capture of low but usable quality (qScore 25 to 44) is accepted: the counter
// asks for the finger once more, then the bank decides, and the agent sees the
// quality. One below is refused here.
package device
