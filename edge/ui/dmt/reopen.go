package dmt

import (
	"net/http"

	"galla/edge"
	"galla/edge/ui"
	"galla/shared/op"
)

// reopen redirects from a transfer's operation to its flow, for enquiries and refunds. If
// the flow has ended, or belongs to another user, a new one is made from the operation:
// any user may pay a refund.
func (s *Pages) reopen(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	id, err := op.ParseID(r.PathValue("op"))
	if err != nil {
		s.NotFound(w, r, ses)
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.Fail(w, r, ses, err)
		return
	}
	if v.Route != op.Transfer {
		s.NotFound(w, r, ses)
		return
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	f, ok := s.store.byTransfer(id, ses.Operator)
	if !ok {
		if f, err = s.flowOfTransfer(v, ses.Operator); err == nil {
			err = s.store.save(f)
		}
		if err != nil {
			s.Fail(w, r, ses, err)
			return
		}
	}
	http.Redirect(w, r, "/dmt/"+string(f.ID), http.StatusSeeOther)
}

func (s *Pages) flowOfTransfer(v edge.View, operator edge.User) (flow, error) {
	id, err := op.NewID(s.cfg.Rand)
	f := flow{ID: id, Operator: operator.Name, OperatorID: operator.ID, Reopened: true, Name: v.Customer, To: account{Name: v.Title}, Amount: v.Amount}
	f.setCharge(v.Record)
	if !v.State.Final() && v.State != op.Pending {
		f.Step, f.Call = OTP, v.ID
		return f, err
	}
	f.Step = OTP
	f.keepReply(v)
	f.moveTo(Sent)
	return f, err
}
