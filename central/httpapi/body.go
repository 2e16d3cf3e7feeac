package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/shared/envelope"
)

// Limits of bodies, in addition to maxBody.
const (
	// maxDiscarded is how much of an unread body is read to keep its connection;
	// after a longer one the connection is closed.
	maxDiscarded = 64 << 10
	// initialBuffer is allocated before a byte of a body has come, whatever length
	// it claims.
	initialBuffer = 64 << 10
	// maxSealedBody holds the sealed form of every body that a direct route takes:
	// base64 is a third longer, and some languages escape its slashes.
	maxSealedBody = maxBody/3*4 + 64<<10
	// maxLongBodies is how many messages over maxSealedBody are read at one time,
	// only to reply to authenticated senders that they are too long.
	maxLongBodies = 64
)

// readBody reads a request's body to its end, at most limit bytes. The error is
// TooLarge or Invalid; the connection is then closed after the reply, since the
// start of the next request is not known.
//
// Bodies are read only here: a request that is refused for its path, its caller or
// its caller's role is refused by its headers alone.
func readBody(fctx *fasthttp.RequestCtx, limit int) ([]byte, error) {
	if !fctx.Request.IsBodyStream() {
		return fctx.Request.Body(), nil // there is none, or it was read before
	}
	body, err := readStream(fctx, limit)
	if err != nil {
		closeAfterReply(fctx)
		return nil, err
	}
	fctx.Request.SetBodyRaw(body)
	requestComplete(fctx)
	return body, nil
}

func readStream(fctx *fasthttp.RequestCtx, limit int) ([]byte, error) {
	stream, length := fctx.RequestBodyStream(), fctx.Request.Header.ContentLength()
	if length > limit {
		return nil, central.NewError(central.TooLarge, "")
	}
	if length >= 0 && length <= initialBuffer { // as most are
		body := make([]byte, length)
		if _, err := io.ReadFull(stream, body); err != nil {
			return nil, bodyError(err)
		}
		return body, nil
	}
	var body bytes.Buffer
	if length < 0 { // in chunks
		_, err := io.Copy(&body, io.LimitReader(stream, int64(limit)+1))
		switch {
		case err != nil || peerClosed(fctx):
			return nil, bodyError(err)
		case body.Len() > limit:
			return nil, central.NewError(central.TooLarge, "")
		}
		return body.Bytes(), nil
	}
	body.Grow(initialBuffer)
	if _, err := io.CopyN(&body, stream, int64(length)); err != nil {
		return nil, bodyError(err)
	}
	return body.Bytes(), nil
}

// bodyError explains why a body could not be read to its end; nil: the peer closed
// the connection.
func bodyError(err error) error {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return central.NewFieldError("request", "time", fmt.Sprintf("must arrive within %g seconds", readTimeout.Seconds()))
	}
	return central.NewFieldError("request", "http", "must be well-formed HTTP/1.1")
}

// discardBody handles a body that nobody read: a short one is discarded, and after
// a longer one the connection is closed.
func discardBody(fctx *fasthttp.RequestCtx) {
	if !fctx.Request.IsBodyStream() {
		return
	}
	if _, err := readStream(fctx, maxDiscarded); err != nil {
		closeAfterReply(fctx)
		return
	}
	fctx.Request.ResetBody()
	requestComplete(fctx)
}

// closeAfterReply closes the connection after the reply, and lets the peer, which
// may still be sending, read it.
func closeAfterReply(fctx *fasthttp.RequestCtx) {
	fctx.SetConnectionClose()
	if served, ok := fctx.Conn().(*conn); ok {
		served.linger.Store(true)
	}
}

// requestComplete records that a request was read to its end.
func requestComplete(fctx *fasthttp.RequestCtx) {
	if served, ok := fctx.Conn().(*conn); ok {
		served.resetHead()
	}
}

// peerClosed reports whether the peer closed the connection before the end of the
// request: fasthttp takes the end between two chunks for the end of the body.
func peerClosed(fctx *fasthttp.RequestCtx) bool {
	served, ok := fctx.Conn().(*conn)
	return ok && served.ended
}

// readSealedBody reads a message to the gateway. malformed says why it failed.
func (s *Server) readSealedBody(fctx *fasthttp.RequestCtx) (body []byte, malformed string) {
	limit := maxSealedBody
	if length := fctx.Request.Header.ContentLength(); length < 0 || length > limit {
		select {
		case s.longBodies <- struct{}{}:
			defer func() { <-s.longBodies }()
			limit = envelope.MaxBody
		default:
		}
	}
	body, err := readBody(fctx, limit)
	if err != nil {
		return nil, "the body could not be read: " + central.AsError(err).Error()
	}
	return body, ""
}
