package edge

import (
	"context"
	"fmt"
	"strings"

	"galla/edge/message"
	"galla/shared/op"
	"galla/shared/printable"
)

// Begin reserves an operation's identity on disk, before the customer is asked
// for a finger. It fails with *DraftError, every wrong field at once, or with
// *PrecludedError where nothing can begin now.
func (c *Counter) Begin(_ context.Context, d Draft) (View, error) {
	if err := c.checkDraft(d); err != nil {
		return View{}, err
	}
	if err := c.precludedDraft(d.Route, Operator{ID: d.OperatorID, Name: d.Operator}); err != nil {
		return View{}, err
	}
	return c.reserve(d)
}

// Authenticate begins the day's authentication with the operator's own Aadhaar
// number; the operator's finger is captured next. It fails with what NumberOf
// says where that number is not kept here.
func (c *Counter) Authenticate(_ context.Context, operator Operator) (View, error) {
	if err := c.precludedDraft(op.ReqAuth, operator); err != nil {
		return View{}, err
	}
	d := Draft{Route: op.ReqAuth, Aadhaar: c.cfg.AgentAadhaar, Customer: c.cfg.Agent, Operator: operator.Name, OperatorID: operator.ID}
	if c.cfg.NumberOf != nil {
		number, err := c.cfg.NumberOf(operator.ID)
		if err != nil {
			return View{}, err
		}
		d.Aadhaar, d.Customer = number, operator.Name
	}
	return c.reserve(d)
}

func (c *Counter) checkDraft(d Draft) error {
	var wrong []FieldError
	bad := func(field, message string) { wrong = append(wrong, FieldError{field, message}) }
	if !message.IsAEPS(d.Route) {
		return fmt.Errorf("route %q takes no draft", d.Route)
	}
	if d.Aadhaar.IsZero() {
		bad("aadhaar", "Enter the customer's 12-digit Aadhaar number")
	}
	if why := message.WrongName(d.Customer, printable.MaxName); why != "" {
		bad("customer", "Enter the customer's name. "+why)
	}
	if !c.knownBank(d.IIN) {
		bad("iin", "Choose the customer's bank from the list")
	}
	moves := d.Route == op.Withdrawal || d.Route == op.Purchase
	if why := c.Bounds(d.Route).Refuse(d.Amount); moves && why != "" {
		bad("amount", why)
	} else if !moves && d.Amount != 0 {
		bad("amount", "An enquiry has no amount")
	}
	if d.Consent == "" {
		bad("consent", "Read the consent to the customer and confirm it")
	}
	if wrong != nil {
		return &DraftError{Fields: wrong}
	}
	return nil
}

func (c *Counter) knownBank(iin string) bool {
	banks, _ := c.Banks()
	for _, b := range banks {
		if b.IIN == iin {
			return true
		}
	}
	return false
}

// precludedDraft says why no AEPS transaction of the route can begin now, or
// nil.
func (c *Counter) precludedDraft(id op.RouteID, operator Operator) error {
	route, _ := op.Find(id)
	if err := c.precluded(route, message.ShapeOf(id)); err != nil {
		return err
	}
	if s := c.Status().Session; id != op.ReqAuth && !s.Of(operator) {
		if s.Active {
			return &PrecludedError{"session", fmt.Sprintf("Today's authentication was %s's. %s gives a finger first.", s.Operator, operator.Name)}
		}
		return &PrecludedError{"session", "The agent's authentication for today comes first."}
	}
	return nil
}

// precluded says why nothing of the route can begin now, or nil.
func (c *Counter) precluded(route op.Route, s message.Shape) error {
	link := c.Status().Link
	skew := link.Offset.Abs()
	switch {
	case link.Revoked:
		return &PrecludedError{"revoked", "This counter was revoked by the central. Call support."}
	case s.Finger && skew > c.cfg.MaxSkew:
		return &PrecludedError{"clock", fmt.Sprintf("This computer's clock is wrong by %s: the bank would refuse the fingerprint. Set the clock, then try again.", skew.Round(1e9))}
	case volatile(route.Class) && !link.Up:
		return &PrecludedError{"link", "The line is down. Nothing was asked; try again when it is back."}
	}
	return nil
}

// reserve records the operation before anything is asked of the customer.
func (c *Counter) reserve(d Draft) (View, error) {
	id, err := op.NewID(c.cfg.Rand)
	if err != nil {
		return View{}, err
	}
	body, err := message.AEPS{
		Aadhaar: d.Aadhaar, Amount: d.Amount, Latitude: c.cfg.Latitude, Longitude: c.cfg.Longitude,
		Customer: d.Customer, IIN: d.IIN,
	}.Body()
	if err != nil {
		return View{}, err
	}
	route, _ := op.Find(d.Route)
	r := Record{
		ID: id, Route: d.Route, Class: route.Class, State: op.Reserved, Version: 1,
		Operator: d.Operator, OperatorID: d.OperatorID, Customer: strings.TrimSpace(d.Customer), Aadhaar: d.Aadhaar.Masked(),
		IIN: d.IIN, BankName: c.bankName(d.IIN), Amount: d.Amount, Body: body,
		CreatedAt: c.cfg.Now(), Consent: d.Consent,
	}
	if d.Consent != "" {
		r.ConsentAt = r.CreatedAt
	}
	return c.keep(r)
}

func (c *Counter) bankName(iin string) string {
	banks, _ := c.Banks()
	for _, b := range banks {
		if b.IIN == iin {
			return b.Name
		}
	}
	return ""
}

// CountPrint records that a slip of an operation is given to a printer, and
// gives the record, in which it is counted. It returns after fsync, so that no
// power cut makes a second original.
func (c *Counter) CountPrint(id op.ID) (Record, error) {
	return c.change(id, func(r *Record) error {
		r.Prints, r.PrintedAt = r.Prints+1, c.cfg.Now()
		return nil
	})
}

// UncountPrint takes back the count of a slip of which nothing is on paper.
// Where others were counted since, it changes nothing: their number stands on
// paper.
func (c *Counter) UncountPrint(id op.ID, number int) error {
	_, err := c.change(id, func(r *Record) error {
		if r.Prints == number {
			r.Prints--
		}
		return nil
	})
	return err
}
