package wsconn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// maxReason is the longest reason of a close frame, in bytes.
const maxReason = 123

// SendUrgent queues a message; false: the queue is full, or the connection has ended.
// Urgent messages go before normal ones.
func (c *Conn) SendUrgent(data []byte) bool { return c.enqueue(&c.urgent, c.cfg.Urgent, data) }

// SendNormal queues a message; false: the queue is full, or the connection has ended.
func (c *Conn) SendNormal(data []byte) bool { return c.enqueue(&c.normal, c.cfg.Normal, data) }

func (c *Conn) enqueue(queue *[][]byte, limit int, data []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || len(*queue) >= limit {
		return false
	}
	*queue = append(*queue, data)
	c.startWriter()
	return true
}

// Room returns a channel that is closed when a queue has got room or the connection has
// ended. Take it before the attempt to send: it may be closed already.
func (c *Conn) Room() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.room == nil {
		c.room = make(chan struct{})
		if c.ended {
			close(c.room)
		}
	}
	return c.room
}

// Ping sends a ping.
func (c *Conn) Ping() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.pingDue = true
	c.startWriter()
}

// End ends the connection: the writer sends the urgent messages that are queued and a
// close frame, waits a moment for the peer's answer, which the reader gets, and closes
// the socket. Code 0 closes it without all that. A reason that is too long is cut. Only
// the first call counts; it returns true.
func (c *Conn) End(code int, reason string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.ended, c.code, c.reason = true, code, reason
	c.normal = nil
	c.makeRoom()
	c.startWriter()
	return true
}

// Ended returns the code and reason of End; false: it was not called.
func (c *Conn) Ended() (code int, reason string, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code, c.reason, c.ended
}

// EndRead says that nothing is read any more, and waits for the writer. After CloseWait
// it closes the socket, for a writer whose peer reads nothing. Call End before.
func (c *Conn) EndRead() {
	c.mu.Lock()
	c.readEnded = true
	if c.readerDone != nil {
		close(c.readerDone)
	}
	c.mu.Unlock()
	stuck := time.AfterFunc(c.cfg.CloseWait, func() { _ = c.ws.Close() })
	defer stuck.Stop()
	c.writer.Wait()
}

// startWriter starts a writer unless one runs. It ends when nothing is left to write, so
// that an idle connection has none. The caller holds mu.
func (c *Conn) startWriter() {
	if c.writing {
		return
	}
	c.writing = true
	run := c.write
	if c.cfg.Guard != nil {
		run = func() { c.cfg.Guard(c.write) }
	}
	c.writer.Go(run)
}

// makeRoom wakes who waits for room in a queue. The caller holds mu.
func (c *Conn) makeRoom() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

// write is the writer.
func (c *Conn) write() {
	defer func() {
		c.mu.Lock()
		stopped := !c.writing
		c.mu.Unlock()
		if !stopped { // the connection is over, or the writer panicked
			_ = c.ws.Close()
		}
	}()
	for c.writeNext() {
	}
}

// writeNext writes what has to be written next; false: the writer is no longer needed.
func (c *Conn) writeNext() bool {
	c.mu.Lock()
	ended, ping, pong, payload := c.ended, c.pingDue, c.pongDue, c.pong
	c.pingDue, c.pongDue, c.pong = false, false, nil
	var data []byte
	if !ended && !ping && !pong {
		data = c.take()
		c.writing = data != nil
	}
	c.mu.Unlock()
	var err error
	switch {
	case ended:
		c.sendClose()
		return false
	case pong || ping:
		if pong {
			err = c.ws.WriteControl(websocket.PongMessage, payload, time.Now().Add(WriteStall))
		}
		if err == nil && ping {
			err = c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(WriteStall))
		}
	case data == nil:
		return false
	default:
		err = c.writeMessage(data)
	}
	if err != nil {
		c.cfg.Fail(err)
	}
	return true
}

// take removes the next message from the queues; nil: there is none. The caller holds mu.
func (c *Conn) take() []byte {
	queue := &c.urgent
	if len(c.urgent) == 0 {
		queue = &c.normal
	}
	if len(*queue) == 0 {
		return nil
	}
	data := (*queue)[0]
	(*queue)[0] = nil
	if *queue = (*queue)[1:]; len(*queue) == 0 {
		*queue = nil // an idle connection keeps no memory for it
	}
	c.makeRoom()
	return data
}

// writeMessage writes one message; on a slow connection it may take long, as long as it
// makes progress.
func (c *Conn) writeMessage(data []byte) error {
	begun := time.Now()
	w, err := c.ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(data, chunk) {
		stall := time.Now().Add(WriteStall)
		if end := begun.Add(FrameWait); end.Before(stall) {
			stall = end
		}
		if err := c.ws.SetWriteDeadline(stall); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("%w: %w", ErrStalled, err)
		}
		c.sent.Add(int64(len(part)))
	}
	return w.Close()
}

// sendClose sends what is left and the close frame, and waits for the answer.
func (c *Conn) sendClose() {
	c.mu.Lock()
	urgent, code, reason := c.urgent, c.code, c.reason
	c.urgent = nil
	c.mu.Unlock()
	if code == 0 {
		return
	}
	deadline := time.Now().Add(c.cfg.CloseWait)
	for _, data := range urgent {
		if errors.Join(c.ws.SetWriteDeadline(deadline), c.ws.WriteMessage(websocket.TextMessage, data)) != nil {
			return
		}
	}
	if c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, clipReason(reason)), deadline) != nil {
		return
	}
	c.mu.Lock()
	done := c.readerDone
	if done == nil && !c.readEnded {
		done = make(chan struct{})
		c.readerDone = done
	}
	over := c.readEnded
	c.mu.Unlock()
	if over {
		return
	}
	timer := time.NewTimer(c.cfg.CloseWait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// clipReason cuts a reason to the length of a close frame, between two characters.
func clipReason(reason string) string {
	reason = strings.ToValidUTF8(reason, "?")
	if len(reason) <= maxReason {
		return reason
	}
	end := maxReason
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
