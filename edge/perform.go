package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/edge/message"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/printable"
	"galla/shared/secret"
)

// Request asks for one run of a route that is no AEPS transaction.
type Request struct {
	Route op.RouteID
	// ID is the operation's identity, where the caller keeps it before it asks;
	// of one that is known already, nothing begins and it is given as it
	// stands. Empty: one is minted.
	ID op.ID
	// Fields is the request as the interface spells it (section 4): one JSON
	// object, without Aadhaar number, OTP and PidData, and without the refId of
	// a transfer, which is the operation's id. Empty: no fields.
	Fields  []byte
	Aadhaar secret.Aadhaar // of routes that take one; the agent's own is known
	OTP     secret.OTP     // of routes that take one

	Title    string // what it is about, for people, such as the beneficiary's name
	Customer string // the customer's name, for people
	Consent  string // version of the text that was consented to, where a customer's finger is taken
	Mobile   string // the customer's number, where Fields names none

	Amount money.Paise // of a refund, whose fields name none
	Charge money.Paise // of a transfer and a refund: Record.Charge
	// CashFrom is the failed transfer whose kept cash pays for this one. It does if
	// the cash is still here and the same sum, and its record says so then.
	CashFrom op.ID

	Operator   string // the agent at the counter, by name
	OperatorID string // and by id
}

// Perform begins an operation of any route that the uplink serves and that is
// no AEPS transaction (those begin with Begin), and returns when it is
// recorded; Await gives its outcome. What it does follows the route's class:
//
//   - money (a transfer, a refund): recorded on disk before its OTP is used,
//     sent within Config.Deadline of the call or not at all. The OTP stays in
//     memory, and a restart ends what was not sent.
//   - record: recorded on disk, sent in the order of the calls, one after the
//     other, within Config.RecordLife, over restarts too.
//   - enquiry: asked at once, in memory only. With the line down it is a
//     *PrecludedError "link", but for a remitter whose last known details are
//     given, with their age (View.KnownAt).
//   - reference: as an enquiry, and the last known reply is given while the
//     line is down.
//
// A route that takes a finger is reserved, and goes on with Capture.
// Errors are *DraftError, every wrong field at once, with the interface's name
// of the field; *PrecludedError; or, for a route or fields that a program must
// not pass, any other.
func (c *Counter) Perform(_ context.Context, q Request) (View, error) {
	route, ok := op.Find(q.Route)
	if !ok || route.Doors&op.Uplink == 0 {
		return View{}, fmt.Errorf("route %q is not served over the line", q.Route)
	}
	if message.IsAEPS(q.Route) {
		return View{}, fmt.Errorf("route %q begins with a draft", q.Route)
	}
	if q.ID != "" {
		if v, err := c.Operation(q.ID); !errors.Is(err, ErrNotFound) {
			return v, err
		}
	}
	f, err := message.Read(q.Fields)
	if err != nil {
		return View{}, fmt.Errorf("perform %s: %w", q.Route, err)
	}
	s := message.ShapeOf(q.Route)
	if s.Agent && q.Aadhaar.IsZero() {
		q.Aadhaar = c.cfg.AgentAadhaar
	}
	if err := c.checkRequest(q, f, s); err != nil {
		return View{}, err
	}
	if err := c.precluded(route, s); err != nil {
		if v, known := c.fromMemory(route, f, q, err); known {
			return v, nil
		}
		return View{}, err
	}
	return c.begin(route, f, q, s)
}

// checkRequest looks at what the counter can know to be wrong.
func (c *Counter) checkRequest(q Request, f message.Fields, s message.Shape) error {
	var wrong []FieldError
	bad := func(field, message string) { wrong = append(wrong, FieldError{field, message}) }
	for _, name := range s.Needs {
		if strings.TrimSpace(f.Text(name)) == "" {
			bad(name, "Fill this in")
		}
	}
	if s.Amount {
		amount, ok := f.Rupees()
		if !ok {
			bad(message.Amount, "Enter an amount in rupees, with at most two decimals")
		} else if why := c.Bounds(q.Route).Refuse(amount); why != "" {
			bad(message.Amount, why)
		}
	}
	if s.Ref && f.Text(message.Ref) != "" {
		bad(message.Ref, "The counter gives each transfer its own reference")
	}
	if s.Aadhaar && q.Aadhaar.IsZero() {
		bad("aadhaar", "Enter the 12-digit Aadhaar number")
	}
	if s.OTP && q.OTP.IsZero() {
		bad(message.OTP, "Enter the one-time password from the customer's phone")
	}
	if s.Finger && !s.Agent && q.Consent == "" {
		bad("consent", "Read the consent to the customer and confirm it")
	}
	for _, x := range [][2]string{{"title", q.Title}, {"customer", q.Customer}} {
		if why := message.WrongName(x[1], printable.MaxName); x[1] != "" && why != "" {
			bad(x[0], why)
		}
	}
	f.WrongNames(bad)
	if wrong != nil {
		return &DraftError{Fields: wrong}
	}
	return nil
}

// begin records the operation and lets the pump send it.
func (c *Counter) begin(route op.Route, f message.Fields, q Request, s message.Shape) (View, error) {
	id, err := c.identity(q)
	if err != nil {
		return View{}, err
	}
	r, err := c.draw(id, route, f, q, s)
	if err != nil {
		return View{}, err
	}
	c.handover.Lock()
	defer c.handover.Unlock()
	if err := c.link(&r, f, q); err != nil {
		return View{}, err
	}
	if s.Finger {
		return c.keep(r)
	}
	now := r.CreatedAt
	r.State = op.Queued
	switch route.Class {
	case op.Money:
		r.Deadline = now.Add(c.cfg.Deadline)
	case op.Record:
		r.Deadline = now.Add(c.cfg.RecordLife)
	default:
		r.Deadline = now.Add(c.cfg.Reply)
	}
	if s.OTP {
		// Before the record: the pump ends a queued operation without its OTP.
		c.mu.Lock()
		c.works[id] = &work{otp: q.OTP, word: q.OTP}
		c.mu.Unlock()
	}
	v, err := c.keep(r)
	if err != nil {
		c.forget(id)
		return View{}, err
	}
	c.nudge()
	return v, nil
}

// identity is the caller's, or a new one.
func (c *Counter) identity(q Request) (op.ID, error) {
	if q.ID != "" {
		return op.ParseID(string(q.ID))
	}
	return op.NewID(c.cfg.Rand)
}

// draw makes the record of a request, as it is before it goes anywhere.
func (c *Counter) draw(id op.ID, route op.Route, f message.Fields, q Request, s message.Shape) (Record, error) {
	if s.Ref {
		f.Set(message.Ref, string(id))
	}
	if _, named := f[message.Merchant]; route.ID == op.GenerateQR && !named && c.cfg.MerchantID != "" {
		f.Set(message.Merchant, c.cfg.MerchantID)
	}
	r := Record{
		ID: id, Route: route.ID, Class: route.Class, State: op.Reserved, Version: 1,
		Operator: q.Operator, OperatorID: q.OperatorID, Title: strings.TrimSpace(q.Title), Customer: strings.TrimSpace(q.Customer),
		CreatedAt: c.cfg.Now(), Consent: q.Consent,
		Amount: q.Amount, Charge: q.Charge, Mobile: cmp.Or(f.Mobile(), q.Mobile),
	}
	aadhaar := secret.Aadhaar{}
	if s.Aadhaar {
		aadhaar, r.Aadhaar = q.Aadhaar, q.Aadhaar.Masked()
	}
	if s.Amount {
		r.Amount, _ = f.Rupees()
	}
	if q.Consent != "" {
		r.ConsentAt = r.CreatedAt
	}
	body, err := f.Body(aadhaar)
	if err != nil {
		return Record{}, err
	}
	r.Body = body
	return r, nil
}

// keep adds a new operation where its class lives.
func (c *Counter) keep(r Record) (View, error) {
	var err error
	if volatile(r.Class) {
		err = c.memory.add(r)
	} else {
		err = c.queue.Add(r)
		c.noteTrouble(err)
	}
	switch {
	case errors.Is(err, ErrFull):
		return View{}, &PrecludedError{"disk", diskTrouble}
	case err != nil:
		return View{}, &PrecludedError{"disk", "The operation can't be recorded, so it was not begun. Nothing was asked of the customer."}
	}
	c.noteTransfer(r)
	c.ring()
	return c.view(r, volatile(r.Class)), nil
}

// volatile tells whether operations of a class live in memory only: they move
// nothing.
func volatile(class op.Class) bool { return class == op.Enquiry || class == op.Reference }

// Await gives an operation when it is final or pending, or as it stands when
// ctx ends, with its error.
func (c *Counter) Await(ctx context.Context, id op.ID) (View, error) {
	news, end := c.Watch()
	defer end()
	for {
		v, err := c.Operation(id)
		if err != nil || v.State.Final() || v.State == op.Pending {
			return v, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// fromMemory answers a request that can't be asked, because the line is down,
// from what was told earlier.
func (c *Counter) fromMemory(route op.Route, f message.Fields, q Request, why error) (View, bool) {
	down := (*PrecludedError)(nil)
	if !errors.As(why, &down) || down.Code != "link" {
		return View{}, false
	}
	known, ok := c.recall.reply(route, f.Text(message.Mobile))
	if !ok {
		return View{}, false
	}
	id, err := c.identity(q)
	if err != nil {
		return View{}, false
	}
	r, err := c.draw(id, route, f, q, message.Shape{})
	if err != nil {
		return View{}, false
	}
	r.State, r.Body, r.EndedAt = op.Succeeded, nil, r.CreatedAt
	r.Reason = fmt.Sprintf("The line is down. This was told %s ago.", r.CreatedAt.Sub(known.At).Round(time.Second))
	r.HTTP, r.Reply, r.Result = known.HTTP, known.Reply, message.ReadResult(known.HTTP, known.Reply)
	c.memory.age(id, known.At)
	v, err := c.keep(r)
	return v, err == nil
}
