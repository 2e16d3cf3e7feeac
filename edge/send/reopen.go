package send

import (
	"net/http"

	"galla/edge"
	"galla/edge/web"
	"galla/shared/op"
)

// reopen leads from a transfer's operation to its flow, where it is asked about
// and refunded. If the flow was ended, or is another operator's, a new one is
// made of what the operation tells: a refund is due to the customer whoever
// stands at the counter.
func (s *Room) reopen(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	id, err := op.ParseID(r.PathValue("op"))
	if err != nil {
		s.Nowhere(w, r, ses)
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	if v.Route != op.Transfer {
		s.Nowhere(w, r, ses)
		return
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	f, ok := s.store.ofTransfer(id, ses.Operator)
	if !ok {
		if f, err = s.remake(v, ses.Operator); err == nil {
			err = s.store.put(f)
		}
		if err != nil {
			s.Failed(w, r, ses, err)
			return
		}
	}
	http.Redirect(w, r, "/send/"+string(f.ID), http.StatusSeeOther)
}

// remake makes a flow that stands at a transfer.
func (s *Room) remake(v edge.View, operator edge.Operator) (flow, error) {
	id, err := op.NewID(s.cfg.Rand)
	f := flow{ID: id, Operator: operator.Name, By: operator.ID, Reopened: true, Name: v.Customer, To: account{Name: v.Title}, Amount: v.Amount}
	f.charged(v.Record)
	if !v.State.Final() && v.State != op.Pending {
		f.Step, f.Call = OTP, v.ID
		return f, err
	}
	f.Step = OTP
	f.take(v)
	f.enter(Sent)
	return f, err
}
