package services

import (
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
)

// Statuses of a customer's onboarding.
const (
	customerStarted    = "STARTED"
	customerOTPChecked = "OTP_VERIFIED"
	customerUIDChecked = "UID_VERIFIED"
	customerBioUpdated = "BIO_UPDATED"
	customerApproved   = "APPROVED"
)

// customerSteps are the steps of a customer's onboarding (interface.md, section 4.3).
func customerSteps() onboardingSteps {
	return onboardingSteps{
		{customerStarted, "onboarding"}, {customerOTPChecked, "validate_otp"}, {customerUIDChecked, "verify_UID"},
		{customerBioUpdated, "updatebiodetail"}, {customerApproved, "submit"},
	}
}

// enrolment is a row of enrolments: a person on the way to be a DMT customer.
type enrolment struct {
	id                                                 int64
	reference, mobile, name, email, city, region, step string
	aadhaar                                            []byte // HMAC; nil: none so far
	last4                                              string
}

const selectEnrolment = `SELECT id, reference, mobile, name, email, city, region, status, aadhaar_hmac, aadhaar_last4 FROM enrolments WHERE `

func findEnrolment(x books.Tx, where string, value any) (enrolment, bool, error) {
	var e enrolment
	ok, err := x.Row("find the customer", selectEnrolment+where, []any{value},
		&e.id, &e.reference, &e.mobile, &e.name, &e.email, &e.city, &e.region, &e.step, &e.aadhaar, &e.last4)
	return e, ok, err
}

// Ways to find an enrolment.
const (
	byReference = `reference = ?`
	byMobile    = `mobile = ?`
)

// enrolmentAt finds the enrolment of a request that has come far enough for a
// step; else it gives the decline.
func enrolmentAt(x books.Tx, reference, to string) (enrolment, *books.Decision, error) {
	e, known, err := findEnrolment(x, byReference, reference)
	if err != nil {
		return enrolment{}, nil, err
	}
	var v books.Decision
	step := customerSteps().missing(e.step, to)
	switch {
	case !known:
		v = notFound("customer onboarding")
	case step != "":
		v = outOfOrder(step)
	default:
		return e, nil, nil
	}
	return enrolment{}, &v, nil
}

// advance moves an enrolment on, and answers with data.
func (e enrolment) advance(x books.Tx, to string, data any) (books.Decision, error) {
	err := x.Exec("write the customer", `UPDATE enrolments SET name = ?, email = ?, city = ?, region = ?, status = ?, aadhaar_hmac = ?, aadhaar_last4 = ?
		WHERE id = ?`, e.name, e.email, e.city, e.region, customerSteps().further(e.step, to), e.aadhaar, e.last4, e.id)
	if err != nil {
		return books.Decision{}, err
	}
	return approved(data)
}

// referenceData names a customer's onboarding.
type referenceData struct {
	Reference string `json:"referenceid"`
	Status    string `json:"status,omitzero"`
}

func (s *Services) customerOnboarding(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := firstInvalid(isName("name", p.Name), isMobile("mobile number", p.Mobile), isName("city", p.City), isName("state", p.State), isText("email", p.Email)); f != "" {
		return malformed(f), nil
	}
	e, known, err := findEnrolment(x, byMobile, p.Mobile)
	if err != nil {
		return books.Decision{}, err
	}
	if known {
		if e.step != customerApproved { // what was submitted is what was verified
			e.name, e.email, e.city, e.region = p.Name, p.Email, p.City, p.State
		}
		return e.advance(x, customerStarted, referenceData{Reference: e.reference})
	}
	reference, err := s.newID()
	if err != nil {
		return books.Decision{}, err
	}
	err = x.Exec("begin the customer's onboarding", `INSERT INTO enrolments (reference, mobile, name, email, city, region, status, begun_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, reference, p.Mobile, p.Name, p.Email, p.City, p.State, customerStarted, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	return approved(referenceData{Reference: reference})
}

func customerPurpose(reference string) purpose { return purposeOf("customer", reference) }

func (s *Services) customerOTP(x books.Tx, t network.Transaction, now time.Time) (books.Decision, error) {
	e, v, err := enrolmentAt(x, t.Particulars.Enrolment, customerOTPChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	request, v, err := s.sendNamed(customerPurpose(e.reference), e.mobile, " is the OTP to register you for money transfer.", now)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	return approved(otpData{request})
}

func (s *Services) customerOTPCheck(x books.Tx, q books.Request) (books.Decision, error) {
	e, v, err := enrolmentAt(x, q.Particulars.Enrolment, customerOTPChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if !s.otps.use(customerPurpose(e.reference), q.Particulars.OTPRequest, q.OTP, q.At) {
		return wrongOTP(), nil
	}
	return e.advance(x, customerOTPChecked, status{customerOTPChecked})
}

func (s *Services) customerUID(x books.Tx, q books.Request) (books.Decision, error) {
	e, v, err := enrolmentAt(x, q.Particulars.Enrolment, customerUIDChecked)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	v, changed, err := claimAadhaar(x, q, e.step == customerApproved, &e.aadhaar, &e.last4)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if changed && e.step == customerBioUpdated {
		e.step = customerUIDChecked // the finger was another number's
	}
	return e.advance(x, customerUIDChecked, status{customerUIDChecked})
}

func (s *Services) customerBiometric(x books.Tx, q books.Request) (books.Decision, error) {
	e, v, err := enrolmentAt(x, q.Particulars.Enrolment, customerBioUpdated)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if v, err := checkFinger(x, q, e.aadhaar); v != nil || err != nil {
		return declineOf(v), err
	}
	return e.advance(x, customerBioUpdated, status{customerBioUpdated})
}

func (s *Services) customerSubmit(x books.Tx, q books.Request) (books.Decision, error) {
	e, v, err := enrolmentAt(x, q.Particulars.Enrolment, customerApproved)
	if v != nil || err != nil {
		return declineOf(v), err
	}
	if e.step != customerApproved {
		if err := x.AddMessage(e.mobile, q.At, "You are registered for money transfer, "+e.name+"."); err != nil {
			return books.Decision{}, err
		}
	}
	return e.advance(x, customerApproved, referenceData{e.reference, customerApproved})
}

func (s *Services) customerStatus(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	e, known, err := findEnrolment(x, byReference, t.Particulars.Enrolment)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("customer onboarding"), nil
	}
	return approved(referenceData{e.reference, e.step})
}

func (s *Services) customerDetail(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	e, known, err := findEnrolment(x, byMobile, t.Particulars.Mobile)
	if err != nil {
		return books.Decision{}, err
	}
	if !known || e.step != customerApproved {
		return notFound("customer"), nil
	}
	return approved(struct {
		Reference string `json:"referenceid"`
		Name      string `json:"name"`
		Mobile    string `json:"mobile_no"`
		Email     string `json:"email_id"`
		City      string `json:"city"`
		State     string `json:"state"`
		Verified  bool   `json:"kyc_verified"`
		Masked    string `json:"aadhaar_masked"`
	}{e.reference, e.name, e.mobile, e.email, e.city, e.region, true, "XXXXXXXX" + e.last4})
}
