package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// AEPS onboarding of a merchant's agent (interface.md, sections 3.4 and 4.1).
// The central stores how far each merchant has come, and refuses a step whose
// predecessor is missing before the bank is asked. The bank checks the order, too.

// onboardingStep is one step of the onboarding.
type onboardingStep struct {
	route op.RouteID
	kind  central.Kind
	needs central.KYCState // the record must have reached this state; empty: any
	to    central.KYCState // a success sets this state; empty: no change
}

// onboardingSteps lists the steps in order. Sending the OTP again changes no
// state, so it may be left out.
func onboardingSteps() []onboardingStep {
	return []onboardingStep{
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

// onboardingStepName names the step that leads to a state, by the last segment of
// its path.
func onboardingStepName(to central.KYCState) string {
	for _, s := range onboardingSteps() {
		if s.to == to {
			return string(s.route)[strings.LastIndex(string(s.route), "/")+1:]
		}
	}
	return string(to)
}

// agentStep handles a step of the onboarding.
func (h *Handler) agentStep(s onboardingStep) func(*activeRequest) action {
	return func(c *activeRequest) action {
		request := c.newBankRequest(s.kind)
		c.readAgentFields(&request)
		return func(ctx context.Context) (central.Reply, error) {
			if s.route == op.AgentOnboarding && !c.merchant.HasInfo {
				return central.Reply{}, central.NewError(central.NoMerchantInfo, "")
			}
			if err := h.checkOrder(ctx, c.merchant, s); err != nil {
				return central.Reply{}, err
			}
			if s.kind.IsConsultation() {
				return h.consult(ctx, request, "", true)
			}
			reply, err := h.submit(ctx, c, central.Submission{
				Request: request,
				KYC:     &central.KYCStep{Service: central.ServiceAEPS, To: s.to},
			}, central.LimitSubject{Kind: s.kind})
			if err != nil {
				return central.Reply{}, err
			}
			if err := h.recordApproval(ctx, c, reply); err != nil {
				// The step is done and has its reply; statusCheck reports the approval again.
				h.log.Error("approval of an onboarding can't be recorded", slog.String("request", c.RequestID), slog.Any("error", err))
			}
			return reply, nil
		}
	}
}

// readAgentFields reads the fields of a step and adds what the central knows of
// the merchant.
func (c *activeRequest) readAgentFields(r *central.BankRequest) {
	in, p := &c.fields, &r.Particulars
	switch r.Kind {
	case central.KindAgentOnboarding:
		p.Name, p.Mobile, p.Shop = c.merchant.LegalName, c.merchant.Mobile, c.merchant.LegalName
	case central.KindAgentOTP:
		p.Mobile = c.merchant.Mobile
	case central.KindAgentOTPCheck:
		r.OTP, p.OTPRequest = in.OTP("otp"), in.ID("otpreqid", field.Must)
	case central.KindAgentPAN:
		p.PAN, p.Name, p.BirthDate = in.PAN("pan", field.Must), in.Name("name", field.Must, field.MaxName), in.BirthDate("dob", field.Must)
	case central.KindAgentUID:
		r.Aadhaar = in.Aadhaar("aadhaarno", field.Must)
	case central.KindAgentBiometric:
		r.PidData, r.Aadhaar = in.PidData("PidData"), in.Aadhaar("aadhaarno", field.Must)
	case central.KindAgentSubmit:
		p.Agent = c.merchant.AppID
	}
}

// checkOrder refuses a step whose predecessor is missing, and names it
// (interface.md, section 3.4). A merchant that may transact has done all steps and
// may repeat any of them.
func (h *Handler) checkOrder(ctx context.Context, m central.Merchant, s onboardingStep) error {
	if s.needs == "" || m.AEPSReady {
		return nil
	}
	record, err := h.store.KYC(ctx, m.ID, central.ServiceAEPS)
	if errors.Is(err, central.ErrNotFound) {
		record = central.ServiceKYC{}
	} else if err != nil {
		return fmt.Errorf("read how far the AEPS onboarding of merchant %s is: %w", m.ID, err)
	}
	if record.State.Reached(s.needs) {
		return nil
	}
	message := onboardingStepName(s.needs) + " has to be done first"
	if next := central.KYCStates()[record.State.Rank()]; next != s.needs {
		message += "; the next step is " + onboardingStepName(next)
	}
	return central.NewError(central.FailedPrecondition, message)
}

// recordApproval stores that the network reported the onboarding as approved: from
// then on the merchant may transact. The record must be submitted; an approval
// that comes earlier is reported again by statusCheck.
func (h *Handler) recordApproval(ctx context.Context, c *activeRequest, r central.Reply) error {
	if !saysApproved(r.Body) {
		return nil
	}
	record, err := h.store.KYC(ctx, c.merchant.ID, central.ServiceAEPS)
	if errors.Is(err, central.ErrNotFound) || (err == nil && record.State != central.KYCSubmitted) {
		return nil
	}
	if err == nil {
		err = h.store.ApproveKYC(ctx, c.merchant.ID, central.ServiceAEPS, time.Now())
	}
	if err != nil {
		return fmt.Errorf("record the approved AEPS onboarding of merchant %s: %w", c.merchant.ID, err)
	}
	return nil
}

// saysApproved reports whether a reply is a success with the status APPROVED.
func saysApproved(body []byte) bool {
	var reply struct {
		StatusCode string `json:"statusCode"`
		Data       struct {
			Status string `json:"status"`
		} `json:"data"`
	}
	err := json.Unmarshal(body, &reply)
	return err == nil && reply.StatusCode == statusOK && reply.Data.Status == string(central.KYCApproved)
}

// agentStatus asks the network how far the onboarding is. It is allowed at any
// time.
func (h *Handler) agentStatus(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		reply, err := h.consult(ctx, c.newBankRequest(central.KindAgentStatus), "", true)
		if err != nil {
			return central.Reply{}, err
		}
		return reply, h.recordApproval(ctx, c, reply)
	}
}

// agentDetail asks the network about the acting merchant's agent. An agent of
// another merchant gets the same reply as an unknown one.
func (h *Handler) agentDetail(c *activeRequest) action {
	request := c.newBankRequest(central.KindAgentDetail)
	request.Particulars.Agent = c.fields.ID("agentId", field.May)
	if request.Particulars.Agent == "" {
		request.Particulars.Agent = c.merchant.MID
	}
	return func(ctx context.Context) (central.Reply, error) {
		if request.Particulars.Agent != c.merchant.MID {
			return central.Reply{}, central.NewError(central.NotFound, "No such agent")
		}
		return h.consult(ctx, request, "", true)
	}
}

// initializeReply is the success of initialize, which has no envelope
// (interface.md, section 2.1).
type initializeReply struct {
	Merchant central.MerchantID `json:"merchantId"`
	Service  central.Service    `json:"service"`
}

func renderInitialize(o central.Operation, _ central.BankAnswer) (http int, body []byte) {
	return 200, encode(initializeReply{Merchant: o.Merchant, Service: central.ServiceAEPS})
}

// onboardingReply is the success of onboarding: the network's fields in data, and
// the OTP request also at the top level.
type onboardingReply struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	OTPStatus  bool   `json:"otp_status"` // whether an OTP was sent
	OTPRequest string `json:"otp_reqid"`
	Data       any    `json:"data,omitzero"`
}

func renderOnboarding(_ central.Operation, a central.BankAnswer) (http int, body []byte) {
	var sent struct {
		OTPRequest string `json:"otpreqid"`
	}
	if json.Unmarshal(a.Data, &sent) != nil {
		sent.OTPRequest = "" // the network named no request
	}
	return 200, encode(onboardingReply{
		StatusCode: statusOK, Message: successMessage("", a), OTPStatus: sent.OTPRequest != "", OTPRequest: sent.OTPRequest, Data: networkData(a),
	})
}
