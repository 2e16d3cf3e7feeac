package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/valyala/fasthttp"

	"galla/central"
)

// Limits of replies that are written while they are sent.
const (
	maxStreams    = 8
	streamTimeout = 10 * time.Minute
	streamBuffer  = 32 << 10
)

// stream sends a reply whose body is written while it is sent. After an error the
// connection is cut before the end of the body.
func (s *Server) stream(fctx *fasthttp.RequestCtx, r central.Reply) error {
	select {
	case s.streams <- struct{}{}:
	default:
		return central.NewTooMany(time.Second)
	}
	fctx.SetStatusCode(r.HTTP)
	fctx.SetContentType(r.Stream.ContentType)
	fctx.Response.Header.Set("Content-Disposition", `attachment; filename="`+r.Stream.Name+`"`)
	reader, writer := io.Pipe()
	request := requestID(fctx)
	go func() {
		defer func() { <-s.streams }()
		err := s.writeStream(r.Stream, writer)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			s.log.Error("a reply was cut", "request", request, "error", err)
		}
		_ = writer.CloseWithError(err) // it never fails
	}()
	fctx.Response.SetBodyStream(reader, -1) // closed by fasthttp, also if the peer goes away
	return nil
}

// writeStream writes the body; a panic is an error.
func (s *Server) writeStream(body *central.Stream, to io.Writer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(s.baseCtx, streamTimeout)
	defer cancel()
	out := bufio.NewWriterSize(to, streamBuffer)
	if err := body.Write(ctx, out); err != nil {
		return err
	}
	return out.Flush()
}
