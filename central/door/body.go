package door

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

// Bounds of bodies, beside maxBody.
const (
	// spareBody is how much is read of a body that nobody asked for, to keep its
	// connection; behind a longer one the connection ends.
	spareBody = 64 << 10
	// firstRead is what is made room for before a byte of a body has come,
	// whatever its length is said to be.
	firstRead = 64 << 10
	// sealedBody holds the sealed form of every body that a direct route takes:
	// base64 is a third longer, and some languages escape its slashes.
	sealedBody = maxBody/3*4 + 64<<10
	// longSealed is how many messages beyond sealedBody are read at one time, only
	// to tell their senders, once they are known, that they are too long.
	longSealed = 64
)

// readBody reads a request's body to its end, at most limit bytes. The error is
// the caller's: TooLarge or Invalid. After one the connection ends with the
// reply, since where the next request begins is not known.
//
// Bodies are read only here: a call that is refused for its path, its caller or
// its caller's role is refused by its headers alone.
func readBody(fctx *fasthttp.RequestCtx, limit int) ([]byte, error) {
	if !fctx.Request.IsBodyStream() {
		return fctx.Request.Body(), nil // it has none, or was read
	}
	body, err := readStream(fctx, limit)
	if err != nil {
		part(fctx)
		return nil, err
	}
	fctx.Request.SetBodyRaw(body)
	whole(fctx)
	return body, nil
}

func readStream(fctx *fasthttp.RequestCtx, limit int) ([]byte, error) {
	stream, length := fctx.RequestBodyStream(), fctx.Request.Header.ContentLength()
	if length > limit {
		return nil, central.Refuse(central.TooLarge, "")
	}
	var body bytes.Buffer
	if length < 0 { // in chunks
		_, err := io.Copy(&body, io.LimitReader(stream, int64(limit)+1))
		switch {
		case err != nil || ended(fctx):
			return nil, unread(err)
		case body.Len() > limit:
			return nil, central.Refuse(central.TooLarge, "")
		}
		return body.Bytes(), nil
	}
	body.Grow(min(length, firstRead))
	if _, err := io.CopyN(&body, stream, int64(length)); err != nil {
		return nil, unread(err)
	}
	return body.Bytes(), nil
}

// unread says why a body could not be read to its end; nil: its sender ended
// the connection.
func unread(err error) error {
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return invalid("request", "time", fmt.Sprintf("must arrive within %g seconds", readTimeout.Seconds()))
	}
	return invalid("request", "http", "must be well-formed HTTP/1.1")
}

// drop deals with a body that nobody read: what is little is thrown away, and
// behind what is more the connection ends.
func drop(fctx *fasthttp.RequestCtx) {
	if !fctx.Request.IsBodyStream() {
		return
	}
	if _, err := readStream(fctx, spareBody); err != nil {
		part(fctx)
		return
	}
	fctx.Request.ResetBody()
	whole(fctx)
}

// part ends the connection after the reply, and lets the peer, who may be still
// sending, read it.
func part(fctx *fasthttp.RequestCtx) {
	fctx.SetConnectionClose()
	if served, ok := fctx.Conn().(*conn); ok {
		served.linger.Store(true)
	}
}

// whole says that a request was read to its end.
func whole(fctx *fasthttp.RequestCtx) {
	if served, ok := fctx.Conn().(*conn); ok {
		served.whole()
	}
}

// ended tells whether the peer ended the connection before the request did: the
// HTTP layer takes the end between two chunks for the end of the body.
func ended(fctx *fasthttp.RequestCtx) bool {
	served, ok := fctx.Conn().(*conn)
	return ok && served.ended
}

// readSealed reads a message to the gateway. malformed says why it could not.
func (d *Door) readSealed(fctx *fasthttp.RequestCtx) (body []byte, malformed string) {
	limit := sealedBody
	if length := fctx.Request.Header.ContentLength(); length < 0 || length > limit {
		select {
		case d.long <- struct{}{}:
			defer func() { <-d.long }()
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
