// Package wsconn is the bounded websocket of both ends of the uplink (uplink.md,
// section 6): reading with time-outs, one writer with queues, pings, and an orderly
// close.
//
// It promises that a dead peer is noticed within Silence, that a slow one has up to
// FrameWait for a message as long as it makes progress, that no message is larger
// than the limit, and that what was queued as urgent is sent before the close frame.
//
// Messages enter and leave as the bytes of one text message each. One goroutine
// reads, one runs WriteLoop and then SendClose, and the caller closes the channel
// done when the connection has to end. Data is not interpreted: package wire does
// that.
package wsconn
