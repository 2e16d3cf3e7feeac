package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/printable"
	"galla/shared/secret"
)

// preparedRequest is a request whose fields are valid.
type preparedRequest struct {
	Request
	route  op.Route
	spec   api.RequestSpec
	fields api.Fields
}

// Start records a new operation of any route that the uplink serves; Await waits
// for its outcome. An ID that is known starts nothing: Start returns that
// operation. A route that takes a fingerprint is reserved, before the customer is
// asked for the finger, and goes on with Capture. What else happens depends on
// the route's class:
//
//   - money: on disk before its fingerprint or OTP is used, sent within
//     sendWithin of that or not at all. Both stay in memory only, so a
//     restart ends what was not sent.
//   - record: on disk, sent in the order of the calls, each after the outcome of
//     the one before, within Config.RecordSendWithin, also after a restart. A
//     pending one blocks the next for pendingBlock only. A receipt by SMS is
//     another: it needs the connection, and its order does not matter.
//   - enquiry: in memory only, and only while the terminal is online. A
//     remitter's last known details are returned offline, with their age
//     (View.KnownAt).
//   - reference: as an enquiry; the last known reply is returned offline.
//
// It fails with *ValidationError, *PreconditionError, or another error for a
// route or fields that a program must not pass.
func (c *Counter) Start(q Request) (View, error) {
	if q.ID != "" {
		if v, err := c.Operation(q.ID); !errors.Is(err, ErrNotFound) {
			return v, err
		}
	}
	p, err := c.prepare(q)
	if err != nil {
		return View{}, err
	}
	if err := c.checkPreconditions(p); err != nil {
		if v, known := c.answerFromCache(p, err); known {
			return v, nil
		}
		return View{}, err
	}
	return c.createOperation(p)
}

// Validate checks the fields of a request, and starts nothing. It fails as Start
// does, except for *PreconditionError of the counter's state.
func (c *Counter) Validate(q Request) error {
	_, err := c.prepare(q)
	return err
}

func (c *Counter) prepare(q Request) (preparedRequest, error) {
	p := preparedRequest{Request: q, spec: api.SpecOf(q.Route)}
	var ok bool
	if p.route, ok = op.Find(q.Route); !ok || p.route.Entrances&op.Uplink == 0 {
		return p, fmt.Errorf("route %q is not served over the uplink", q.Route)
	}
	if p.spec.AEPS && len(q.Fields) > 0 {
		return p, fmt.Errorf("route %q takes no fields", q.Route)
	}
	var err error
	if p.fields, err = api.ParseFields(q.Fields); err != nil {
		return p, fmt.Errorf("start %s: %w", q.Route, err)
	}
	if p.spec.Agent && p.Aadhaar.IsZero() {
		p.Aadhaar = c.cfg.AgentAadhaar
	}
	if q.Route == op.ReqAuth && c.cfg.AadhaarOf != nil {
		if p.Aadhaar, err = c.cfg.AadhaarOf(q.UserID); err != nil {
			return p, err
		}
	}
	if !p.spec.AEPS && p.spec.Amount {
		p.Amount, _ = p.fields.AmountValue()
	}
	if err := c.validateRequest(p); err != nil {
		return p, err
	}
	if q.Route == op.ReqAuth {
		if p.Customer = c.cfg.Agent; c.cfg.AadhaarOf != nil {
			p.Customer = q.User
		}
	}
	return p, nil
}

// validateRequest checks what the counter can know to be wrong; the central
// checks every field.
func (c *Counter) validateRequest(p preparedRequest) error {
	var wrong []string
	bad := func(field string) { wrong = append(wrong, field) }
	for _, name := range p.spec.Required {
		if strings.TrimSpace(p.fields.Text(name)) == "" {
			bad(name)
		}
	}
	if p.spec.Amount && !c.Bounds(p.Route).Allow(p.Amount) || p.spec.AEPS && !p.spec.Amount && p.Amount != 0 {
		bad(api.FieldAmount)
	}
	if p.spec.Ref && p.fields.Text(api.FieldRef) != "" {
		bad(api.FieldRef)
	}
	if p.spec.Aadhaar && p.Aadhaar.IsZero() {
		bad("aadhaar")
	}
	if p.spec.OTP && p.OTP.IsZero() {
		bad(api.FieldOTP)
	}
	if p.spec.Finger && !p.spec.Agent && p.Consent == "" {
		bad("consent")
	}
	if p.Title != "" && !api.IsName(p.Title, printable.MaxName) {
		bad("title")
	}
	if (p.Customer != "" || p.spec.Customer) && !api.IsName(p.Customer, printable.MaxName) {
		bad("customer")
	}
	if p.spec.Customer && c.bankNamed(p.IIN).IIN == "" {
		bad("iin")
	}
	for _, field := range p.fields.WrongNames() {
		bad(field)
	}
	if wrong != nil {
		return &ValidationError{Fields: wrong}
	}
	return nil
}

// bankNamed returns the bank of an IIN; zero: it is not in the list.
func (c *Counter) bankNamed(iin string) Bank {
	banks, _ := c.Banks()
	for _, b := range banks {
		if b.IIN == iin {
			return b
		}
	}
	return Bank{}
}

// checkPreconditions returns why no operation of the route can start now, or nil.
func (c *Counter) checkPreconditions(p preparedRequest) error {
	status := c.Status()
	switch link := status.Link; {
	case link.Revoked:
		return &PreconditionError{Code: PreconditionRevoked}
	case p.spec.Finger && link.Offset.Abs() > maxSkew:
		return &PreconditionError{Code: PreconditionClock}
	case (isVolatile(p.route.Class) || p.spec.Present) && !link.Online:
		return &PreconditionError{Code: PreconditionLink}
	}
	if s := status.Session; p.spec.Session && !s.BelongsTo(User{ID: p.UserID, Name: p.User}) {
		e := &PreconditionError{Code: PreconditionSession, User: p.User}
		if s.Active {
			e.Previous = s.User
		}
		return e
	}
	return nil
}

// createOperation records the operation. The pump sends it, or Capture queues it.
func (c *Counter) createOperation(p preparedRequest) (View, error) {
	r, err := c.newRecord(p)
	if err != nil {
		return View{}, err
	}
	c.cashMu.Lock()
	defer c.cashMu.Unlock()
	if err := c.linkTransfer(&r, p); err != nil {
		return View{}, err
	}
	if p.spec.Finger {
		return c.addRecord(r)
	}
	now := r.CreatedAt
	r.State = op.Queued
	switch {
	case p.route.Class == op.Money, p.spec.Present:
		r.Deadline = now.Add(sendWithin)
	case p.route.Class == op.Record:
		r.Deadline = now.Add(c.cfg.RecordSendWithin)
	default:
		r.Deadline = now.Add(replyTimeout)
	}
	if p.spec.OTP {
		// Before the record: the pump ends a queued operation without its OTP.
		c.mu.Lock()
		c.pending[r.ID] = &pendingState{otp: p.OTP, usedOTP: p.OTP}
		c.mu.Unlock()
	}
	v, err := c.addRecord(r)
	if err != nil {
		c.forget(r.ID)
		return View{}, err
	}
	c.wakePump()
	return v, nil
}

// newRecord builds the record of a request, under the caller's id or a new one.
func (c *Counter) newRecord(p preparedRequest) (Record, error) {
	id, err := op.ParseID(string(p.ID))
	if p.ID == "" {
		id, err = op.NewID(c.cfg.Rand)
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{
		ID: id, Route: p.Route, Class: p.route.Class, State: op.Reserved, Version: 1,
		User: p.User, UserID: p.UserID, Title: strings.TrimSpace(p.Title), Customer: strings.TrimSpace(p.Customer),
		CreatedAt: c.cfg.Now(), Consent: p.Consent,
		Amount: p.Amount, Charge: p.Charge, Mobile: cmp.Or(p.fields.Mobile(), p.Mobile), ReceiverMobile: p.fields.ReceiverMobile(),
	}
	if p.Consent != "" {
		r.ConsentAt = r.CreatedAt
	}
	aadhaar := secret.Aadhaar{}
	if p.spec.Aadhaar {
		aadhaar, r.Aadhaar = p.Aadhaar, p.Aadhaar.Masked()
	}
	if p.spec.AEPS {
		r.IIN, r.BankName = p.IIN, c.bankNamed(p.IIN).Name
		r.Body, err = api.AEPSRequest{
			Aadhaar: aadhaar, Amount: p.Amount, Latitude: c.cfg.Latitude, Longitude: c.cfg.Longitude,
			Customer: p.Customer, IIN: p.IIN,
		}.Body()
		return r, err
	}
	if p.spec.Ref {
		p.fields.Set(api.FieldRef, string(id))
	}
	if _, named := p.fields[api.FieldMerchant]; p.Route == op.GenerateQR && !named && c.cfg.MerchantID != "" {
		p.fields.Set(api.FieldMerchant, c.cfg.MerchantID)
	}
	r.Body, err = p.fields.Body(aadhaar)
	return r, err
}

// addRecord stores a new operation on disk or, by its class, in memory.
func (c *Counter) addRecord(r Record) (View, error) {
	var err error
	if isVolatile(r.Class) {
		err = c.enquiries.add(r)
	} else {
		err = c.queue.Add(r)
		c.noteDiskError(err)
	}
	if err != nil {
		return View{}, &PreconditionError{Code: PreconditionDisk, Err: err}
	}
	c.updateLinkedTransfer(r)
	c.notifySubscribers()
	return c.view(r, isVolatile(r.Class)), nil
}

// isVolatile reports whether operations of a class are in memory only: they move
// no money.
func isVolatile(class op.Class) bool { return class == op.Enquiry || class == op.Reference }

// Await returns an operation when it is final or pending, or as it is when ctx
// ends, with the error of ctx.
func (c *Counter) Await(ctx context.Context, id op.ID) (View, error) {
	news, end := c.Subscribe()
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

// answerFromCache answers a request that can't be sent, because the terminal is
// offline, with an earlier reply.
func (c *Counter) answerFromCache(p preparedRequest, why error) (View, bool) {
	offline := (*PreconditionError)(nil)
	if !errors.As(why, &offline) || offline.Code != PreconditionLink {
		return View{}, false
	}
	known, ok := c.replies.lookup(p.route, p.fields.Text(api.FieldMobile))
	if !ok {
		return View{}, false
	}
	r, err := c.newRecord(p)
	if err != nil {
		return View{}, false
	}
	r.State, r.Reason, r.Body, r.EndedAt = op.Succeeded, ReasonFromCache, nil, r.CreatedAt
	r.HTTP, r.Reply, r.Result = known.HTTP, known.Reply, api.ParseResult(known.HTTP, known.Reply)
	c.enquiries.setKnownAt(r.ID, known.At)
	v, err := c.addRecord(r)
	return v, err == nil
}
