package uplink

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// write is the line's only writer; it closes the socket when the line ends.
func (l *link) write() {
	defer func() { _ = l.ws.Close() }()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-l.done:
			l.takeLeave()
			return
		default:
		}
		if err := l.writeNext(ping.C); err != nil {
			l.end(err)
		}
	}
}

// writeNext waits for something to write, and writes it.
func (l *link) writeNext(ping <-chan time.Time) error {
	select {
	case <-l.done:
		return nil
	case data := <-l.out:
		return l.send(data)
	case payload := <-l.pong:
		return l.ws.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeStall))
	case <-ping:
		_ = l.client.State() // looks whether the clock was set
		return l.ping()
	case <-l.client.wake:
		// The network changed, and what the line runs over may be gone without
		// a word: it must answer soon.
		l.probed, l.echo = l.heard.Load(), time.After(probeWait)
		return l.ping()
	case <-l.echo:
		if l.heard.Load() == l.probed {
			return errNoEcho
		}
		return nil
	}
}

func (l *link) ping() error {
	return l.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeStall))
}

// send writes one frame; a slow line has time for it as long as it takes
// something.
func (l *link) send(data []byte) error {
	begun := time.Now()
	w, err := l.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, chunk) {
		stall := time.Now().Add(writeStall)
		if end := begun.Add(frameWait); end.Before(stall) {
			stall = end
		}
		if err := l.ws.SetWriteDeadline(stall); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("%w: %w", errNoRoom, err)
		}
	}
	return w.Close()
}

// takeLeave sends the close frame where the line still stands, and gives the
// central a moment to answer.
func (l *link) takeLeave() {
	code, words := 0, ""
	var theirs *websocket.CloseError
	switch {
	case errors.As(l.cause, &theirs):
		code = websocket.CloseNormalClosure
	case errors.Is(l.cause, errStopped):
		code, words = websocket.CloseGoingAway, "the counter's program stops"
	case errors.Is(l.cause, errNonsense):
		code, words = websocket.CloseProtocolError, "a frame that the protocol does not allow"
	case errors.Is(l.cause, errReceiver), errors.Is(l.cause, errClockSet):
		code, words = websocket.CloseNormalClosure, "the counter connects again"
	default:
		return
	}
	if l.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, words), time.Now().Add(leaveWait)) != nil {
		return
	}
	timer := time.NewTimer(leaveWait)
	defer timer.Stop()
	select {
	case <-l.gone:
	case <-timer.C:
	}
}

// drain reads until the central has taken the close frame and left: closing a
// socket with unread bytes would destroy the close frame on its way.
func (l *link) drain() {
	if l.listen(leaveWait) != nil {
		return
	}
	for {
		_, r, err := l.ws.NextReader()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return
		}
	}
}
