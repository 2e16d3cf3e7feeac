// Package wsconn is the bounded websocket of both ends of the uplink (uplink.md,
// section 6): reading with time-outs, writing with queues, and an orderly close.
//
// It promises that a dead peer is noticed within Silence, that a slow one has up to
// FrameWait for a message as long as it makes progress, that no message is larger
// than the limit, that what was queued as urgent is sent before the close frame, and
// that an idle connection has no goroutine but its reader and no timer but the deadline
// of that reader's socket.
//
// Messages enter and leave as the bytes of one text message each. One goroutine reads;
// any goroutine may send. There is one writer at a time, which runs while something is
// to be written and ends then. Data is not interpreted: package wire does that.
package wsconn
