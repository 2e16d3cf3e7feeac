package contract

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/form"
	"galla/shared/op"
)

// The onboarding of a merchant's agent for AEPS (sections 3.4 and 4.1). The
// central keeps how far each merchant has come, and refuses a step whose
// predecessor is missing before the bank is asked; the bank's own word on the
// order stands beside it.

// stage is one step of the onboarding.
type stage struct {
	route op.RouteID
	kind  central.Kind
	needs central.KYCState // that the record must have reached; empty: none
	to    central.KYCState // that a success takes the record to; empty: none
}

// stages lists the steps in their order. The resending of an OTP takes the
// record nowhere: it may be left out.
func stages() []stage {
	return []stage{
		{op.AgentInitialize, central.KindInitialize, "", central.KYCInitialized},
		{op.AgentOnboarding, central.KindAgentOnboarding, central.KYCInitialized, central.KYCOnboarding},
		{op.AgentRequestOTP, central.KindAgentOTP, central.KYCOnboarding, ""},
		{op.AgentValidateOTP, central.KindAgentOTPCheck, central.KYCOnboarding, central.KYCOTPVerified},
		{op.AgentVerifyPAN, central.KindAgentPAN, central.KYCOTPVerified, central.KYCPANVerified},
		{op.AgentUpdateUID, central.KindAgentUID, central.KYCPANVerified, central.KYCUIDUpdated},
		{op.AgentUpdateBio, central.KindAgentBiometric, central.KYCUIDUpdated, central.KYCBioUpdated},
		{op.AgentSubmit, central.KindAgentSubmit, central.KYCBioUpdated, central.KYCSubmitted},
	}
}

func stageOf(route op.RouteID) stage {
	for _, s := range stages() {
		if s.route == route {
			return s
		}
	}
	return stage{}
}

// stepWord names the step that takes a record to a state, by the last word of
// its path.
func stepWord(to central.KYCState) string {
	for _, s := range stages() {
		if s.to == to {
			return string(s.route)[strings.LastIndex(string(s.route), "/")+1:]
		}
	}
	return string(to)
}

func (d *Dispatcher) bindAgent() {
	for _, s := range stages() {
		d.bind(true, d.readAgentStep, s.route)
	}
	d.bind(true, d.readAgentStatus, op.AgentStatus)
	d.bind(true, d.readAgentDetail, op.AgentDetail)
	d.bind(true, d.readRequery, op.AEPSRequery)
}

// readAgentStep reads a step of the onboarding, with the fields of its route.
func (d *Dispatcher) readAgentStep(c *call) step {
	s := stageOf(c.binding.route.ID)
	request := c.request(s.kind)
	c.agentFields(&request)
	return func(ctx context.Context) (central.Reply, error) {
		if s.route == op.AgentOnboarding && !c.merchant.HasInfo {
			return central.Reply{}, central.Refuse(central.NoMerchantInfo, "")
		}
		if err := d.inOrder(ctx, c.merchant, s); err != nil {
			return central.Reply{}, err
		}
		if s.kind.Consults() {
			return d.consult(ctx, request, "")
		}
		reply, err := d.submit(ctx, c, central.Submission{
			Local: s.kind == central.KindInitialize, Request: request,
			KYC: &central.KYCStep{Service: central.ServiceAEPS, To: s.to},
		}, central.Subject{Kind: s.kind})
		if err != nil {
			return central.Reply{}, err
		}
		if err := d.noteApproval(ctx, c, reply); err != nil {
			// The step is done and has its reply; statusCheck brings the word again.
			d.log.Error("approval of an onboarding can't be noted", slog.String("request", c.RequestID), slog.Any("error", err))
		}
		return reply, nil
	}
}

// agentFields reads what a step of the onboarding asks for, and adds what the
// central knows of the merchant.
func (c *call) agentFields(r *central.BankRequest) {
	in, p := &c.in, &r.Particulars
	switch r.Kind {
	case central.KindAgentOnboarding:
		p.Name, p.Mobile, p.Shop = c.merchant.LegalName, c.merchant.Mobile, c.merchant.LegalName
	case central.KindAgentOTP:
		p.Mobile = c.merchant.Mobile
	case central.KindAgentOTPCheck:
		r.OTP, p.OTPRequest = in.OTP("otp"), in.ID("otpreqid", form.Must)
	case central.KindAgentPAN:
		p.PAN, p.Name, p.BirthDate = in.PAN("pan", form.Must), in.Name("name", form.Must, form.MaxName), in.BirthDate("dob", form.Must)
	case central.KindAgentUID:
		r.Aadhaar = in.Aadhaar("aadhaarno", form.Must)
	case central.KindAgentBiometric:
		r.PidData, r.Aadhaar = in.PidData("PidData"), in.Aadhaar("aadhaarno", form.Must)
	case central.KindAgentSubmit:
		p.Agent = c.merchant.AppID
	}
}

// inOrder refuses a step whose predecessor is missing, and names it
// (interface-decisions.md, 'Rules'). A merchant that may transact has been
// through all of them and may repeat any.
func (d *Dispatcher) inOrder(ctx context.Context, m central.Merchant, s stage) error {
	if s.needs == "" || m.AEPSReady {
		return nil
	}
	record, err := d.store.KYC(ctx, m.ID, central.ServiceAEPS)
	if errors.Is(err, central.ErrNotFound) {
		record = central.ServiceKYC{}
	} else if err != nil {
		return fmt.Errorf("read how far the AEPS onboarding of merchant %s is: %w", m.ID, err)
	}
	if record.State.Reached(s.needs) {
		return nil
	}
	message := stepWord(s.needs) + " has to be done first"
	if next := central.KYCStates()[record.State.Rank()]; next != s.needs {
		message += "; the next step is " + stepWord(next)
	}
	return central.Refuse(central.Precluded, message)
}

// noteApproval takes over the network's word, in a reply, that the onboarding
// is approved: from then on the merchant may transact. The record must be
// submitted; a word that comes too early is told again by statusCheck.
func (d *Dispatcher) noteApproval(ctx context.Context, c *call, r central.Reply) error {
	if !approves(r.Body) {
		return nil
	}
	record, err := d.store.KYC(ctx, c.merchant.ID, central.ServiceAEPS)
	if errors.Is(err, central.ErrNotFound) || (err == nil && record.State != central.KYCSubmitted) {
		return nil
	}
	if err == nil {
		err = d.store.Approve(ctx, c.merchant.ID, central.ServiceAEPS, time.Now())
	}
	if err != nil {
		return fmt.Errorf("note that the AEPS onboarding of merchant %s is approved: %w", c.merchant.ID, err)
	}
	return nil
}

// approves tells whether a reply is a success that says APPROVED.
func approves(body []byte) bool {
	var told struct {
		StatusCode string `json:"statusCode"`
		Data       struct {
			Status string `json:"status"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &told)
	return err == nil && told.StatusCode == statusOK && told.Data.Status == string(central.KYCApproved)
}

// readAgentStatus asks the network how far the onboarding is, which may be done
// at any time.
func (d *Dispatcher) readAgentStatus(c *call) step {
	return func(ctx context.Context) (central.Reply, error) {
		reply, err := d.consult(ctx, c.request(central.KindAgentStatus), "")
		if err != nil {
			return central.Reply{}, err
		}
		return reply, d.noteApproval(ctx, c, reply)
	}
}

// readAgentDetail asks the network who the acting merchant's agent is. An agent
// of somebody else has the answer of one who does not exist.
func (d *Dispatcher) readAgentDetail(c *call) step {
	request := c.request(central.KindAgentDetail)
	request.Particulars.Agent = c.in.ID("agentId", form.May)
	if request.Particulars.Agent == "" {
		request.Particulars.Agent = c.merchant.MID
	}
	return func(ctx context.Context) (central.Reply, error) {
		if request.Particulars.Agent != c.merchant.MID {
			return central.Reply{}, central.Refuse(central.NotFound, "No such agent")
		}
		return d.consult(ctx, request, "")
	}
}

// initialized is the success of initialize, which has no envelope (section
// 2.1).
type initialized struct {
	Merchant central.MerchantID `json:"merchantId"`
	Service  central.Service    `json:"service"`
}

func answeredInitialize(o central.Operation, _ central.BankAnswer) (http int, body []byte) {
	return 200, encode(initialized{Merchant: o.Merchant, Service: central.ServiceAEPS})
}

// begunOnboarding is the success of onboarding: the network's fields are in
// data, and the OTP request stands beside it, too.
type begunOnboarding struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	OTPStatus  bool   `json:"otp_status"` // an OTP was sent
	OTPRequest string `json:"otp_reqid"`
	Data       any    `json:"data,omitzero"`
}

func answeredOnboarding(_ central.Operation, a central.BankAnswer) (http int, body []byte) {
	var sent struct {
		OTPRequest string `json:"otpreqid"`
	}
	if json.Unmarshal(a.Data, &sent) != nil {
		sent.OTPRequest = "" // the network names none that could be checked
	}
	return 200, encode(begunOnboarding{
		StatusCode: statusOK, Message: spoken("", a), OTPStatus: sent.OTPRequest != "", OTPRequest: sent.OTPRequest, Data: passed(a),
	})
}
