package dmt

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
)

// requestBody returns the request of the flow's step in the interface's spelling.
func (f *flow) requestBody() ([]byte, error) {
	to := map[string]any{"senderId": f.SenderID, "receiver_account_no": f.To.Number, "receiverIfscCode": f.To.IFSC}
	q := map[string]any{}
	switch f.Step {
	case Find:
		q["mobile_number"] = f.Mobile
	case Name:
		q = map[string]any{"name": f.Name, "mobile_no": f.Mobile, "city": f.City, "state": f.State}
		if f.Email != "" {
			q["email_id"] = f.Email
		}
	case CodeAsk, Aadhaar, Finger, Submit:
		q["referenceid"] = f.Reference
	case Code:
		q["referenceid"], q["otpreqid"] = f.Reference, f.OTPRequest
	case Details, Register:
		q["sender_mobilenumber"] = f.Mobile
	case Payee, Unconfirmed, PayeeAdd:
		q = to
		q["receivername"] = f.To.Name
		if f.To.Mobile != "" {
			q["receivermobilenumber"] = f.To.Mobile
		}
	case DeletePayee:
		q = to
	case Amount:
		q = map[string]any{"senderId": f.SenderID, "amount": jsontext.Value(f.Amount.Number())}
	case Confirm:
		q = to
		q["amount"] = jsontext.Value(f.Amount.Number())
	case OTP:
		q = to
		q["amount"], q["BeneficiaryId"] = jsontext.Value(f.Amount.Number()), jsontext.Value(f.To.ID)
		q["account_holder_name"], q["receiverMobilenumber"], q["remarks"] = f.To.Name, f.To.Mobile, ""
	case RefundCheck:
		q["refId"] = string(f.Transfer)
	case RefundAsk:
		q["refereanceId"] = f.TransactionID
	case RefundCode:
		q["transactionId"], q["refId"] = f.TransactionID, string(f.Transfer)
	}
	return json.Marshal(q, json.Deterministic(true))
}

// startCall creates the operation of the flow's step; its id is on disk first. A
// *edge.ValidationError belongs to the form; any other reason is stored as the flow's
// problem.
func (s *Pages) startCall(ctx context.Context, f *flow, p credentials) error {
	body, err := f.requestBody()
	if err != nil {
		return err
	}
	id, err := op.NewID(s.cfg.Rand)
	if err != nil {
		return err
	}
	f.stop("")
	f.Call = id
	if err := s.store.save(*f); err != nil {
		return err
	}
	q := edge.Request{
		Route: rules[f.Step].route, ID: id, Fields: body, OTP: p.otp, Aadhaar: p.aadhaar,
		Title: f.To.Name, Customer: f.Name, Consent: p.consent, User: f.Operator, UserID: f.OperatorID, Mobile: f.Mobile,
	}
	switch f.Step {
	case OTP:
		q.Charge, q.CashFrom = paise(f.Charge), f.CashFrom
	case RefundCode:
		q.Amount, q.Charge = s.refundAmount(f)
	}
	if f.Step == RefundCode && !f.CashReturned {
		q.Consent = edge.RefundCashAfter
	}
	_, err = s.counter.Start(q)
	if err == nil {
		s.afterStart(f, p)
		return nil
	}
	draft, precluded := (*edge.ValidationError)(nil), (*edge.PreconditionError)(nil)
	switch {
	case errors.As(err, &draft):
		f.stop("")
	case errors.As(err, &precluded) && precluded.Code == edge.PreconditionLink && f.Step == Find:
		// Details from an earlier request may be stored already.
		f.moveTo(Details)
		return s.store.save(*f)
	case errors.As(err, &precluded):
		f.stopPrecluded(precluded)
		err = nil
	default:
		// It is unknown whether it was recorded; the next request finds out.
		return err
	}
	if kept := s.store.save(*f); kept != nil {
		return kept
	}
	return err
}

// afterStart lets the finger follow the Aadhaar number: it keeps the proof until the bank
// has checked the number, and then asks for the finger at once. Where the capture can't
// begin, the operation's page offers it.
func (s *Pages) afterStart(f *flow, p credentials) {
	switch f.Step {
	case Aadhaar:
		s.proofs.keep(f.ID, p)
	case Finger:
		if err := s.counter.Capture(f.Call); err != nil {
			s.cfg.Logger.Warn("the capture did not begin with its operation", "operation", f.Call, "error", err)
		}
	}
}

// paise parses an amount from central; 0 for none.
func paise(told string) money.Paise {
	p, err := money.Parse(told)
	if err != nil || p < 0 {
		return 0
	}
	return p
}

// refundAmount returns what a refund of the flow's transfer pays back.
func (s *Pages) refundAmount(f *flow) (amount, charge money.Paise) {
	v, err := s.counter.Operation(f.Transfer)
	if err != nil { // no longer stored: the flow knows the amount, but not the charge
		return f.Amount, 0
	}
	return cashbook.RefundAmounts(v.Record)
}

func (f *flow) stopPrecluded(e *edge.PreconditionError) {
	f.stop(problemPrecluded)
	f.Code = string(e.Code)
}

// maxAutoSteps bounds the automatic steps of one request: the longest path in the table
// from an answer to the next form.
const maxAutoSteps = 6

// advance reads the result of the flow's operation and takes all steps that need no
// person. It returns the operation while it is running.
func (s *Pages) advance(ctx context.Context, f *flow) (*edge.View, error) {
	for range maxAutoSteps {
		if f.Call != "" {
			v, err := s.counter.Operation(f.Call)
			switch {
			case errors.Is(err, edge.ErrNotFound):
				// It was never created, or was an enquiry of an earlier run: either way nothing
				// that moves money is lost.
				f.stop(problemLost)
			case err != nil:
				return nil, err
			case v.State.Final() || (v.State == op.Pending && rules[f.Step].anyOutcome):
				f.applyOutcome(v, s.cfg.Now())
			default:
				return &v, nil
			}
			if err := s.store.save(*f); err != nil {
				return nil, err
			}
		}
		r := rules[f.Step]
		if f.Step == Sender && s.operation(f.DetailsID).ID == "" { // the reply is no longer stored
			f.moveTo(Details)
			continue
		}
		p, proven := s.proofs.take(f.ID)
		if f.Problem != "" && f.Problem != problemLost || !r.auto && !(f.Step == Finger && proven) {
			return nil, nil
		}
		if err := s.startCall(ctx, f, p); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
