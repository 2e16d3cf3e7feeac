package send

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// proof is what the customer proves with in one step. It is never kept.
type proof struct {
	otp     secret.OTP
	aadhaar secret.Aadhaar
	consent string
}

// fields writes the request of the flow's step, as the interface spells it.
func (f *flow) fields() ([]byte, error) {
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
	case Payee, Unsure, PayeeAdd:
		q = to
		q["receivername"] = f.To.Name
		if f.To.Mobile != "" {
			q["receivermobilenumber"] = f.To.Mobile
		}
	case Drop:
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
		q["refereanceId"] = f.PaidAs
	case RefundCode:
		q["transactionId"], q["refId"] = f.PaidAs, string(f.Transfer)
	}
	return json.Marshal(q, json.Deterministic(true))
}

// ask makes the call of the flow's step. Its identity is on disk before the
// call begins. A *edge.DraftError is the form's; why else it did not begin is
// the flow's trouble.
func (s *Room) ask(ctx context.Context, f *flow, p proof) error {
	body, err := f.fields()
	if err != nil {
		return err
	}
	id, err := op.NewID(s.cfg.Rand)
	if err != nil {
		return err
	}
	f.stay("")
	f.Call = id
	if err := s.store.put(*f); err != nil {
		return err
	}
	q := edge.Request{
		Route: rules[f.Step].route, ID: id, Fields: body, OTP: p.otp, Aadhaar: p.aadhaar,
		Title: f.To.Name, Customer: f.Name, Consent: p.consent, Operator: f.Operator, OperatorID: f.By, Mobile: f.Mobile,
	}
	switch f.Step {
	case OTP:
		q.Charge, q.CashFrom = paise(f.Charge), f.Kept
	case RefundCode:
		q.Amount, q.Charge = s.back(f)
	}
	if f.Step == RefundCode && !f.CashBack {
		q.Consent = edge.RefundRule
	}
	_, err = s.counter.Perform(ctx, q)
	if err == nil {
		return nil
	}
	draft, precluded := (*edge.DraftError)(nil), (*edge.PrecludedError)(nil)
	switch {
	case errors.As(err, &draft):
		f.stay("")
	case errors.As(err, &precluded) && precluded.Code == "link" && f.Step == Find:
		// What was told of the customer earlier may be known here.
		f.enter(Details)
		return s.store.put(*f)
	case errors.As(err, &precluded):
		f.precluded(precluded)
		err = nil
	default:
		// Whether it was recorded is not known: the next look asks.
		return err
	}
	if kept := s.store.put(*f); kept != nil {
		return kept
	}
	return err
}

// paise reads an amount of the central's; 0 for none.
func paise(told string) money.Paise {
	p, err := money.Parse(told)
	if err != nil || p < 0 {
		return 0
	}
	return p
}

// back is what the customer gets back with a refund of the flow's transfer.
func (s *Room) back(f *flow) (amount, charge money.Paise) {
	v, err := s.counter.Operation(f.Transfer)
	if err != nil { // it is no longer kept: the amount is the flow's, and the charge is not known
		return f.Amount, 0
	}
	return cashbook.Back(v.Record)
}

// precluded says why the step's call can't begin now.
func (f *flow) precluded(e *edge.PrecludedError) {
	f.stay(troublePrecluded)
	f.Code, f.Said = e.Code, e.Message
}

// maxAuto bounds the steps that one look takes by itself: the longest way of
// the table, from an answer to the next form.
const maxAuto = 6

// advance asks what became of the flow's call, and goes on as far as nothing
// is asked of people. It gives the call while it goes on.
func (s *Room) advance(ctx context.Context, f *flow) (*edge.View, error) {
	for range maxAuto {
		if f.Call != "" {
			v, err := s.counter.Operation(f.Call)
			switch {
			case errors.Is(err, edge.ErrNotFound):
				// It never began, or it was an enquiry of an earlier run: nothing
				// that moves anything is lost.
				f.stay(troubleLost)
			case err != nil:
				return nil, err
			case v.State.Final() || (v.State == op.Pending && rules[f.Step].ends):
				f.settle(v, s.cfg.Now())
				if f.Step == Submit {
					s.hold(f.ID, secret.Aadhaar{})
				}
			default:
				return &v, nil
			}
			if err := s.store.put(*f); err != nil {
				return nil, err
			}
		}
		r := rules[f.Step]
		if f.Step == Sender && !s.told(f.Known) {
			f.enter(Details)
			continue
		}
		if !r.auto || (f.Trouble != "" && f.Trouble != troubleLost) {
			return nil, nil
		}
		if err := s.ask(ctx, f, proof{}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// told tells whether an enquiry's reply is still here.
func (s *Room) told(id op.ID) bool {
	_, err := s.counter.Operation(id)
	return err == nil
}
