package bank

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/secret"
)

// PaymentRecorder records what the network reports.
type PaymentRecorder interface {
	// Record returns once the payment is durable, now or before. central.ErrState: it is
	// recorded with other values.
	Record(ctx context.Context, p central.ReceivedPayment) error
}

// Notifications serves the network's reports of payments, at network.PathNotifications. A
// report is confirmed once it is recorded, and only then; the network repeats all others.
type Notifications struct {
	checksums network.Checksums
	recorder  PaymentRecorder
	log       *slog.Logger
}

// NewNotifications makes the handler, for the key that is shared with the network.
func NewNotifications(key secret.Key, recorder PaymentRecorder, log *slog.Logger) (*Notifications, error) {
	if key.IsZero() || recorder == nil || log == nil {
		return nil, errors.New("notifications of the bank network need a key, a recorder and a logger")
	}
	return &Notifications{network.NewChecksums(key), recorder, log}, nil
}

// ServeHTTP implements http.Handler.
func (n *Notifications) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != network.PathNotifications {
		n.refuse(w, http.StatusNotFound, "no such route; there is "+network.PathNotifications)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		n.refuse(w, http.StatusMethodNotAllowed, "only POST")
		return
	}
	body, err := network.ReadBody(r.Body, network.MaxNotification)
	if errors.Is(err, network.ErrTooLarge) {
		n.refuse(w, http.StatusRequestEntityTooLarge, "the notification is too large")
		return
	}
	if err != nil {
		n.refuse(w, http.StatusBadRequest, "the notification ended too early")
		return
	}
	if sums := r.Header.Values(network.HeaderChecksum); len(sums) != 1 || !n.checksums.IsNotification(sums[0], r.URL.Path, body) {
		n.log.Warn("a notification with a wrong checksum was refused", "from", r.RemoteAddr)
		n.refuse(w, http.StatusUnauthorized, "the checksum is wrong")
		return
	}
	p, err := network.DecodePayment(body)
	if err != nil {
		n.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if faults := p.InvalidMembers(); faults != nil {
		n.refuse(w, http.StatusBadRequest, "these members are wrong: "+strings.Join(faults, ", "))
		return
	}
	switch err := n.recorder.Record(r.Context(), receivedPayment(p)); {
	case errors.Is(err, central.ErrState):
		n.log.Error("the network reports a payment with other values than are recorded", "payment", p.ID, "error", err)
		n.refuse(w, http.StatusConflict, "the payment is recorded with other values")
	case err != nil:
		n.log.Error("a payment can't be recorded; the network reports it again", "payment", p.ID, "error", err)
		n.refuse(w, http.StatusServiceUnavailable, "the payment could not be recorded: report it again")
	default:
		reply, err := network.EncodeReceipt(network.Receipt{ID: p.ID})
		if err != nil {
			n.refuse(w, http.StatusInternalServerError, "the receipt can't be written")
			return
		}
		n.write(w, http.StatusOK, p.ID, reply)
	}
}

// refuse answers a notification that is not recorded.
func (n *Notifications) refuse(w http.ResponseWriter, status int, why string) {
	body, err := network.EncodeFault(network.Fault{Error: why})
	if err != nil {
		body = nil
	}
	n.write(w, status, "", body)
}

func (n *Notifications) write(w http.ResponseWriter, status int, reference string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", network.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set(network.HeaderChecksum, string(n.checksums.AppendReply(nil, status, reference, body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a network that is gone reports it again
}
