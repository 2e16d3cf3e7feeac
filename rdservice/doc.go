// Package rdservice speaks the registered-device (RD) protocol: it finds the
// RD services on this computer, asks them who they are, captures biometrics
// through them and judges what came back, in words for the person at the
// counter.
//
// An RD service is an HTTP server on the loopback address, port 11100 to 11120,
// with three methods of its own. The way of the data:
//
//	Discover ── RDSERVICE / ──────────► READY, USED or NOTREADY, and two paths
//	Info     ── DEVICEINFO <path> ────► identity, serial, level, certificate end
//	Capture  ── CAPTURE <path> ───────► PidData ─► parsed ─► judged ─► Capture
//	            PidOptions (Options)                         Action and sentence
//
// What the package promises:
//
//   - PidData is passed on byte for byte. It is read only as far as judging
//     needs, nothing is decrypted, and it stands in a type that cannot be
//     printed.
//   - A CAPTURE is never sent again by itself. The one exception is a service
//     that answers 'still starting' (-1509): it is asked up to three times more.
//   - One capture at a time on a device; a second one gets ErrBusy at once.
//   - Everything is bounded: reply size, XML depth and elements, each wait. No
//     proxy, no redirect, no kept connection, and no self-signed certificate
//     anywhere but on loopback.
//   - Replies are read as makers really write them: elements and attributes in
//     any order, namespaces, white space, byte order marks, lists of numbers,
//     messy paths, certificates that crypto/x509 refuses. A DTD, UTF-16 and a
//     path to another host are refused.
//   - A success that a bank could read in another way than it was judged here is
//     none: two Resp or Data, parts inside other elements, another code than 0,
//     bytes that are no UTF-8.
//   - Errors say which of these it was: nothing listens (ErrRefused), no answer
//     (ErrTimeout), cancelled (ErrCancelled), cut off (ErrBroken), rubbish
//     (ErrReply), another host (ErrForeignHost), and so on. Explain turns each
//     into an Action and a sentence.
//
// A Client is safe for use by several goroutines; there is no package state.
// The simulated device of package rdsim
// plays the other side.
package rdservice
