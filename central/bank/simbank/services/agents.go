package services

import (
	"errors"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
)

// Merchants of the sandbox that were onboarded before (sandbox.md).
const (
	lakshmi   = "GAL0000001"
	charminar = "GAL0000003"
)

// seeded is what the bank knows of an agent that was onboarded before.
func seeded(mid string) agent {
	a := agent{mid: mid, name: mid, shop: mid, status: agentApproved}
	switch mid {
	case lakshmi:
		a.name, a.mobile, a.shop = "Fatima Bedi", "9000000003", "Lakshmi Kirana Store"
	case charminar:
		a.name, a.shop = "Charminar General", "Charminar General"
	}
	return a
}

// Statuses of an agent.
const (
	agentNotStarted = "NOT_STARTED"
	agentOTPSent    = "OTP_SENT"
	agentOTPChecked = "OTP_VERIFIED"
	agentPANChecked = "PAN_VERIFIED"
	agentUIDUpdated = "UID_UPDATED"
	agentBioUpdated = "BIO_UPDATED"
	agentApproved   = "APPROVED"
)

// agentSteps are the steps of an agent's onboarding (interface.md, section 4.1).
func agentSteps() onboardingSteps {
	return onboardingSteps{
		{agentOTPSent, "onboarding"}, {agentOTPChecked, "validate_otp"}, {agentPANChecked, "verify_pan"},
		{agentUIDUpdated, "update_UID"}, {agentBioUpdated, "updatebiodetail"}, {agentApproved, "submit"},
	}
}

// agent is a row of agents.
type agent struct {
	mid, name, mobile, shop string
	application, pan        string
	status                  string
	aadhaar                 []byte // HMAC; nil: none so far
	last4                   string
}

func findAgent(x books.Tx, mid string) (agent, bool, error) {
	a := agent{mid: mid}
	ok, err := x.Row("find the agent", `SELECT name, mobile, shop, application, pan_masked, status, aadhaar_hmac, aadhaar_last4
		FROM agents WHERE mid = ?`, []any{mid}, &a.name, &a.mobile, &a.shop, &a.application, &a.pan, &a.status, &a.aadhaar, &a.last4)
	return a, ok, err
}

func (a agent) save(x books.Tx, now time.Time) error {
	return x.Exec("write the agent", `INSERT INTO agents (mid, name, mobile, shop, application, pan_masked, status, aadhaar_hmac, aadhaar_last4, begun_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (mid) DO UPDATE SET name = excluded.name, mobile = excluded.mobile, shop = excluded.shop,
		application = excluded.application, pan_masked = excluded.pan_masked, status = excluded.status,
		aadhaar_hmac = excluded.aadhaar_hmac, aadhaar_last4 = excluded.aadhaar_last4`,
		a.mid, a.name, a.mobile, a.shop, a.application, a.pan, a.status, a.aadhaar, a.last4, now.UnixMilli())
}

// seedAgents writes the agents that were onboarded before this bank opened.
func (s *Services) seedAgents(x books.Tx, now time.Time) error {
	for _, mid := range s.cfg.Onboarded {
		a, known, err := findAgent(x, mid)
		if err != nil {
			return err
		}
		if !known {
			a = seeded(mid)
		}
		a.status = agentApproved
		if err := a.save(x, now); err != nil {
			return err
		}
	}
	return nil
}

// agentAt finds the agent of a request that has come far enough for a step;
// else it gives the decline.
func agentAt(x books.Tx, mid, to string) (agent, *books.Decision, error) {
	a, known, err := findAgent(x, mid)
	if err != nil {
		return agent{}, nil, err
	}
	step := agentSteps().missing(a.status, to)
	if !known {
		step = agentSteps()[0].step
	}
	if step != "" {
		v := outOfOrder(step)
		return agent{}, &v, nil
	}
	return a, nil, nil
}

// advance moves an agent on, and answers with data.
func (a agent) advance(x books.Tx, to string, now time.Time, data any) (books.Decision, error) {
	a.status = agentSteps().further(a.status, to)
	if err := a.save(x, now); err != nil {
		return books.Decision{}, err
	}
	return approved(data)
}

func agentPurpose(mid string) purpose { return purposeOf("agent", mid) }

// agentData is what begins an agent's onboarding.
type agentData struct {
	OTPRequest string `json:"otpreqid,omitzero"`
	Agent      string `json:"agentId"`
	Status     string `json:"status"`
}

func (s *Services) agentOnboarding(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := firstInvalid(isName("name", p.Name), isMobile("mobile number", p.Mobile), isName("shop", p.Shop)); f != "" {
		return malformed(f), nil
	}
	a, _, err := findAgent(x, q.MID)
	if err != nil {
		return books.Decision{}, err
	}
	a.name, a.mobile, a.shop = p.Name, p.Mobile, p.Shop
	request, v, err := s.sendNamed(agentPurpose(q.MID), p.Mobile, " is the OTP for your onboarding as an AEPS agent.", q.At)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	return a.advance(x, agentOTPSent, q.At, agentData{request, q.MID, agentOTPSent})
}

// sendNamed sends an OTP that is checked by its name, and gives the name
// (otpreqid); or a decline.
func (s *Services) sendNamed(p purpose, mobile, rest string, now time.Time) (string, *books.Decision, error) {
	request, err := s.newID()
	if err != nil {
		return "", nil, err
	}
	v, err := s.sendOTP(p, request, mobile, rest, now)
	return request, v, err
}

// sendOTP sends an OTP, or gives a decline where too many wait.
func (s *Services) sendOTP(p purpose, request, mobile, rest string, now time.Time) (*books.Decision, error) {
	err := s.otps.send(p, request, mobile, rest+" It is valid for 3 minutes. Tell it to nobody but the agent before you.", now)
	if errors.Is(err, errManyOTPs) {
		v := declined(codeTooBusy, "TOO MANY OTPS WAIT, TRY AGAIN IN 3 MINUTES")
		return &v, nil
	}
	return nil, err
}

// declineOf gives a decline, if there is one.
func declineOf(v *books.Decision) books.Decision {
	if v == nil {
		return books.Decision{}
	}
	return *v
}

// otpData names an OTP that was sent.
type otpData struct {
	Request string `json:"otpreqid"`
}

func (s *Services) agentOTP(x books.Tx, t network.Transaction, now time.Time) (books.Decision, error) {
	a, v, err := agentAt(x, t.MID, agentOTPChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	mobile := a.mobile
	if t.Particulars.Mobile != "" {
		mobile = t.Particulars.Mobile
	}
	if f := firstInvalid(isMobile("mobile number", mobile)); f != "" {
		return malformed(f), nil
	}
	request, v, err := s.sendNamed(agentPurpose(t.MID), mobile, " is the OTP for your onboarding as an AEPS agent.", now)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	return approved(otpData{request})
}

func (s *Services) agentOTPCheck(x books.Tx, q books.Request) (books.Decision, error) {
	a, v, err := agentAt(x, q.MID, agentOTPChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if !s.otps.use(agentPurpose(q.MID), q.Particulars.OTPRequest, q.OTP, q.At) {
		return wrongOTP(), nil
	}
	return a.advance(x, agentOTPChecked, q.At, status{agentOTPChecked})
}

func (s *Services) agentPAN(x books.Tx, q books.Request) (books.Decision, error) {
	a, v, err := agentAt(x, q.MID, agentPANChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	p := q.Particulars
	if f := firstInvalid(isPAN(p.PAN), isName("name", p.Name), isBirthDate(p.BirthDate, q.At)); f != "" {
		return malformed(f), nil
	}
	a.pan = maskPAN(p.PAN)
	return a.advance(x, agentPANChecked, q.At, struct {
		Status string `json:"status"`
		PAN    string `json:"pan"`
		Name   string `json:"name"`
	}{agentPANChecked, a.pan, p.Name})
}

func (s *Services) agentUID(x books.Tx, q books.Request) (books.Decision, error) {
	a, v, err := agentAt(x, q.MID, agentUIDUpdated)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	v, changed, err := claimAadhaar(x, q, a.status == agentApproved, &a.aadhaar, &a.last4)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if changed && a.status == agentBioUpdated {
		a.status = agentUIDUpdated // the finger was another number's
	}
	return a.advance(x, agentUIDUpdated, q.At, struct {
		Status string `json:"status"`
		Masked string `json:"aadhaar_masked"`
	}{agentUIDUpdated, q.Aadhaar.Masked()})
}

// claimAadhaar takes the Aadhaar number of a request as a person's, if it is a
// resident's; it reports whether it is another one than before. Whose
// onboarding is finished keeps the number.
func claimAadhaar(x books.Tx, q books.Request, finished bool, hmac *[]byte, last4 *string) (*books.Decision, bool, error) {
	number, end, resident, err := x.Aadhaar(q.Aadhaar)
	if err != nil {
		return nil, false, err
	}
	changed := string(number) != string(*hmac)
	switch {
	case !resident:
		v := declined(codeAadhaar, "AADHAAR NUMBER NOT KNOWN")
		return &v, false, nil
	case changed && finished && *hmac != nil:
		v := declined(codeRefused, "ONBOARDING IS FINISHED WITH ANOTHER AADHAAR NUMBER")
		return &v, false, nil
	}
	*hmac, *last4 = number, end
	return nil, changed, nil
}

// checkFinger wants the Aadhaar number of a request to be the one that was
// verified, and the finger to be its holder's; or it gives the decline.
func checkFinger(x books.Tx, q books.Request, verified []byte) (*books.Decision, error) {
	number, _, resident, err := x.Aadhaar(q.Aadhaar)
	if err != nil {
		return nil, err
	}
	if !resident || string(number) != string(verified) {
		v := declined(codeAadhaar, messageOther)
		return &v, nil
	}
	code, err := x.CheckFinger(q)
	if code == "" || err != nil {
		return nil, err
	}
	v := declined(code, "")
	return &v, nil
}

func (s *Services) agentBiometric(x books.Tx, q books.Request) (books.Decision, error) {
	a, v, err := agentAt(x, q.MID, agentBioUpdated)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if v, err := checkFinger(x, q, a.aadhaar); v != nil || err != nil {
		return declineOf(v), err
	}
	return a.advance(x, agentBioUpdated, q.At, status{agentBioUpdated})
}

func (s *Services) agentSubmit(x books.Tx, q books.Request) (books.Decision, error) {
	a, v, err := agentAt(x, q.MID, agentApproved)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if f := firstInvalid(isText("agent", q.Particulars.Agent)); f != "" {
		return malformed(f), nil
	}
	a.application = q.Particulars.Agent
	if a.status != agentApproved {
		if err := x.AddMessage(a.mobile, q.At, "Your onboarding as AEPS agent "+a.mid+" is approved."); err != nil {
			return books.Decision{}, err
		}
	}
	return a.advance(x, agentApproved, q.At, agentData{Agent: a.mid, Status: agentApproved})
}

func (s *Services) agentStatus(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	a, known, err := findAgent(x, t.MID)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		a.status = agentNotStarted
	}
	return approved(agentData{Agent: t.MID, Status: a.status})
}

func (s *Services) agentDetail(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	mid := t.Particulars.Agent
	if mid == "" {
		mid = t.MID
	}
	a, known, err := findAgent(x, mid)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("agent"), nil
	}
	return approved(struct {
		Agent  string `json:"agentId"`
		Name   string `json:"name"`
		Mobile string `json:"mobile"`
		Shop   string `json:"shopName"`
		Status string `json:"status"`
	}{a.mid, a.name, a.mobile, a.shop, a.status})
}
