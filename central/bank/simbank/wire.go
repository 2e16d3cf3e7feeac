package simbank

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
)

// Waits of the network's side.
const (
	// maxSilence is how long a connection is held on which nothing will ever be
	// said; every caller has given up by then.
	maxSilence = 5 * time.Minute
	// writeTimeout bounds the writing of one answer, of at most network.MaxReply.
	writeTimeout = 10 * time.Second
)

// NetworkHandler serves the network's protocol. Run serves it on the network's
// listener; while the bank is down it ends every connection unanswered.
func (b *Bank) NetworkHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(network.PathTransactions, b.signed(b.serveTransaction))
	mux.Handle(network.PathConsultations, b.signed(b.serveConsultation))
	mux.Handle(network.PathEnquiries, b.signed(b.serveEnquiry))
	mux.Handle(network.PathPayments, b.signed(b.servePayments))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		b.fault(w, http.StatusNotFound, "no such route; there are "+network.PathTransactions+", "+network.PathConsultations+", "+network.PathEnquiries+" and "+network.PathPayments)
	})
	return b.tracked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.Control().Down {
			panic(http.ErrAbortHandler)
		}
		mux.ServeHTTP(w, r)
	}))
}

// tracked counts the handlers under way, and catches their panics.
func (b *Bank) tracked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !b.gate.enter() {
			panic(http.ErrAbortHandler)
		}
		defer b.gate.leave()
		defer func() {
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
					b.log.Error("panic while a request was served; the connection is cut", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				}
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// signed reads a request whose checksum is right, waits the latency, and hands
// it on.
func (b *Bank) signed(serve func(w http.ResponseWriter, r *http.Request, body []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			b.fault(w, http.StatusMethodNotAllowed, "only POST")
			return
		}
		body, err := network.ReadBody(r.Body, network.MaxBody)
		if errors.Is(err, network.ErrTooLarge) {
			b.fault(w, http.StatusRequestEntityTooLarge, "the request is too large")
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the caller went away in the middle
		}
		// The server's time for reading is over, and must not end the wait of a
		// scenario.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		sums := r.Header.Values(network.HeaderChecksum)
		if len(sums) != 1 || !b.checksums.IsRequest(sums[0], r.Method, r.URL.Path, body) {
			b.log.Warn("request with a wrong checksum refused", "path", r.URL.Path)
			b.fault(w, http.StatusUnauthorized, "the checksum is wrong")
			return
		}
		b.pause(r.Context(), b.Control().Latency)
		serve(w, r, body)
	})
}

// pause waits, unless the caller leaves or the bank stops: then it ends the
// handler, which has done nothing so far.
func (b *Bank) pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

// serveTransaction has a transaction executed where its kind belongs: an AEPS
// transaction by the books, the others by the services. An unknown kind is the
// books' to decline.
func (b *Bank) serveTransaction(w http.ResponseWriter, r *http.Request, body []byte) {
	t, ok := b.readTransaction(w, body, false)
	if !ok {
		return
	}
	execute := b.Execute
	if t.Kind.Known() && !t.Kind.AEPS() {
		execute = b.services.Execute
	}
	a, how, err := execute(r.Context(), t)
	if err != nil {
		// Whether it was committed only the books know: no answer is honest.
		b.log.Error("transaction can't be booked; the connection is cut", "reference", t.Reference, "kind", t.Kind, "error", err)
		panic(http.ErrAbortHandler)
	}
	b.deliver(w, r, a, how)
}

// serveConsultation has a consultation answered by the services.
func (b *Bank) serveConsultation(w http.ResponseWriter, r *http.Request, body []byte) {
	t, ok := b.readTransaction(w, body, true)
	if !ok {
		return
	}
	a, how, err := b.services.Consult(r.Context(), t)
	if err != nil {
		if r.Context().Err() == nil {
			b.log.Error("consultation can't be answered; the connection is cut", "reference", t.Reference, "kind", t.Kind, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	b.deliver(w, r, a, how)
}

// readTransaction reads a transaction whose kind goes to the path that it came
// on; it reports false where it has answered.
func (b *Bank) readTransaction(w http.ResponseWriter, body []byte, consults bool) (network.Transaction, bool) {
	t, err := network.DecodeTransaction(body)
	if err != nil {
		b.fault(w, http.StatusBadRequest, err.Error())
		return t, false
	}
	if faults := t.InvalidMembers(); faults != nil {
		b.fault(w, http.StatusBadRequest, fmt.Sprintf("wrong members: %v", faults))
		return t, false
	}
	switch {
	case consults == t.Kind.IsConsultation():
		return t, true
	case consults:
		b.fault(w, http.StatusBadRequest, "this kind is no consultation; send it to "+network.PathTransactions)
	default:
		b.fault(w, http.StatusBadRequest, "this kind is a consultation; send it to "+network.PathConsultations)
	}
	return t, false
}

func (b *Bank) serveEnquiry(w http.ResponseWriter, r *http.Request, body []byte) {
	e, err := network.DecodeEnquiry(body)
	if err != nil || !network.ValidReference(e.Reference) {
		b.fault(w, http.StatusBadRequest, "not an enquiry for a reference")
		return
	}
	a, err := b.Enquire(r.Context(), e.Reference)
	if err != nil {
		if r.Context().Err() == nil {
			b.log.Error("enquiry can't be answered", "reference", e.Reference, "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	b.deliver(w, r, a, books.Delivery{})
}

// deliver answers as the scenario wants it. Everything that is to be told is
// committed by now.
func (b *Bank) deliver(w http.ResponseWriter, r *http.Request, a network.Answer, how books.Delivery) {
	body, err := network.EncodeAnswer(a)
	if err != nil {
		b.log.Error("answer can't be written", "reference", a.Reference, "error", err)
		panic(http.ErrAbortHandler)
	}
	b.pause(r.Context(), how.Wait)
	switch how.Manner {
	case books.Never:
		b.pause(r.Context(), maxSilence)
		panic(http.ErrAbortHandler)
	case books.Rubbish:
		body = []byte("\x00\xff<html>this is no JSON</html>\r\n")
	case books.Broken:
		b.write(w, http.StatusOK, a.Reference, body, len(body)/2)
		panic(http.ErrAbortHandler)
	}
	b.write(w, http.StatusOK, a.Reference, body, len(body))
}

// fault answers a request that was not understood or not let in.
func (b *Bank) fault(w http.ResponseWriter, status int, why string) {
	body, err := network.EncodeFault(network.Fault{Error: why})
	if err != nil {
		b.log.Error("fault can't be written", "error", err)
		body = nil
	}
	b.write(w, status, "", body, len(body))
}

// write sends the first n bytes of a reply that announces all of them.
func (b *Bank) write(w http.ResponseWriter, status int, reference string, body []byte, n int) {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTimeout))
	h := w.Header()
	h.Set("Content-Type", network.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set(network.HeaderChecksum, string(b.checksums.AppendReply(nil, status, reference, body)))
	w.WriteHeader(status)
	// A caller that is gone hears nothing; it will enquire.
	_, _ = w.Write(body[:n])
	_ = c.Flush()
}
