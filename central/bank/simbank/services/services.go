package services

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

// What Config's zero values mean (sandbox.md, domain.md).
const (
	defaultFloat    = 10_00_000 * money.Rupee
	defaultDay      = 25_000 * money.Rupee
	defaultMonth    = 25_000 * money.Rupee
	defaultTransfer = 5_000 * money.Rupee
)

// Config sets up Services.
type Config struct {
	// FloatOpening is what the aggregator pays in when the float is opened; 0
	// means ₹10,00,000.
	FloatOpening money.Paise
	// FloatRefill: a request that leaves less than this in the float fills it up to
	// FloatOpening; 0: none does.
	FloatRefill money.Paise
	// DayLimit and MonthLimit are what a remitter may send on an Indian day and
	// in a month; 0 means ₹25,000 each.
	DayLimit, MonthLimit money.Paise
	// TransferMax bounds one transfer; 0 means ₹5,000.
	TransferMax money.Paise
	// RegistrationFee is taken from the float when a remitter is registered;
	// 0: none.
	RegistrationFee money.Paise
	// TimeScale multiplies the 30 seconds of an ambiguous verification, as it
	// does the waits of the books' scenarios; 0 means 1. OTPs keep their time.
	TimeScale float64
	// Onboarded are the MIDs of merchants whose AEPS onboarding was finished
	// before this bank opened; nil means the sandbox's two.
	Onboarded []string
	// Rand feeds OTPs and ids; nil means the source of the books. One goroutine
	// reads it at a time.
	Rand   io.Reader
	Logger *slog.Logger
}

func (c Config) withDefaults(b *books.Books) (Config, error) {
	var faults []error
	for _, a := range []struct {
		name  string
		value *money.Paise
		zero  money.Paise
	}{
		{"FloatOpening", &c.FloatOpening, defaultFloat}, {"FloatRefill", &c.FloatRefill, 0}, {"DayLimit", &c.DayLimit, defaultDay}, {"MonthLimit", &c.MonthLimit, defaultMonth},
		{"TransferMax", &c.TransferMax, defaultTransfer}, {"RegistrationFee", &c.RegistrationFee, 0},
	} {
		if *a.value == 0 {
			*a.value = a.zero
		}
		if *a.value < 0 || *a.value > money.Max {
			faults = append(faults, fmt.Errorf("the %s %s must be from 0 to %s", a.name, *a.value, money.Max))
		}
	}
	if c.TimeScale == 0 {
		c.TimeScale = 1
	}
	if !(c.TimeScale > 0) { // refuses NaN, too
		faults = append(faults, fmt.Errorf("the TimeScale %v must be above 0", c.TimeScale))
	}
	if c.Logger == nil {
		faults = append(faults, errors.New("the Logger is missing"))
	}
	if c.Rand == nil && b != nil {
		c.Rand = b.Rand()
	}
	if c.Onboarded == nil {
		c.Onboarded = []string{lakshmi, charminar}
	}
	if slices.Contains(c.Onboarded, "") {
		faults = append(faults, errors.New("a MID of Onboarded is empty"))
	}
	return c, errors.Join(faults...)
}

// Services are the sandbox bank's services. Methods are safe for concurrent
// use.
type Services struct {
	cfg   Config
	log   *slog.Logger
	books *books.Books
	otps  *otps
	texts map[string]receiptTexts // registered ones, by language

	randMu sync.Mutex

	deciders    map[network.Kind]decideFunc
	consultants map[network.Kind]consultFunc
}

// decideFunc decides on a request of one kind, within its commit.
type decideFunc func(books.Tx, books.Request) (books.Decision, error)

// consultFunc answers a consultation of one kind, from what is committed.
type consultFunc func(books.Tx, network.Transaction, time.Time) (books.Decision, error)

// New opens the accounts of money transfer and the agents of Config.Onboarded,
// where the books do not have them. Its error names every fault of the
// configuration. There is nothing to close; the books stay the caller's.
func New(b *books.Books, cfg Config) (*Services, error) {
	cfg, err := cfg.withDefaults(b)
	if b == nil {
		err = errors.Join(errors.New("the books are missing"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("services: %w", err)
	}
	s := &Services{cfg: cfg, log: cfg.Logger, books: b}
	s.otps = newOTPs(s.random)
	if s.texts, err = readTexts(); err != nil {
		return nil, fmt.Errorf("services: %w", err)
	}
	s.deciders = map[network.Kind]decideFunc{
		network.AgentOnboarding: s.agentOnboarding, network.AgentOTPCheck: s.agentOTPCheck, network.AgentPAN: s.agentPAN,
		network.AgentUID: s.agentUID, network.AgentBiometric: s.agentBiometric, network.AgentSubmit: s.agentSubmit,
		network.CustomerOnboarding: s.customerOnboarding, network.CustomerOTPCheck: s.customerOTPCheck, network.CustomerUID: s.customerUID,
		network.CustomerBiometric: s.customerBiometric, network.CustomerSubmit: s.customerSubmit,
		network.RemitterRegister: s.remitterRegister, network.AccountVerification: s.verifyAccount,
		network.BeneficiaryAdd: s.addBeneficiary, network.BeneficiaryDelete: s.deleteBeneficiary,
		network.Transfer: s.transfer, network.Refund: s.refund,
		network.BCRegister: s.registerBC, network.BCAgentRegister: s.registerBCAgent, network.BCAgentInitialize: s.initializeBCAgent,
		network.ReceiptMessage: s.receiptMessage,
	}
	s.consultants = map[network.Kind]consultFunc{
		network.AgentOTP: s.agentOTP, network.AgentStatus: s.agentStatus, network.AgentDetail: s.agentDetail,
		network.CustomerDetail: s.customerDetail, network.CustomerOTP: s.customerOTP, network.CustomerStatus: s.customerStatus,
		network.RemitterDetails: s.remitterDetails, network.BeneficiaryGet: s.getBeneficiary,
		network.TransferOTP: s.transferOTP, network.TransferCharges: s.transferCharges, network.RefundOTP: s.refundOTP,
		network.FloatBalance: s.floatBalance, network.Login: s.login, network.BCStatus: s.statusBC,
	}
	err = b.Commit(context.Background(), func(x books.Tx) error {
		now := time.Now()
		if err := x.OpenFloat(cfg.FloatOpening, now); err != nil {
			return err
		}
		return s.seedAgents(x, now)
	})
	if err != nil {
		return nil, fmt.Errorf("services: open the float and the agents that are onboarded: %w", err)
	}
	return s, nil
}

// Execute decides on a request whose kind does not Consult, and returns after
// its commit is on disk. A known reference is refused with 94, one after
// NotAfter with V0, a kind that is no service with 12. After an error only the
// books know whether the request is in them.
func (s *Services) Execute(ctx context.Context, t network.Transaction) (network.Answer, books.Delivery, error) {
	return s.books.ExecuteService(ctx, t, func(x books.Tx, q books.Request) (books.Decision, error) {
		decide := s.deciders[q.Kind]
		if decide == nil {
			return declined(codeInvalid, ""), nil
		}
		return decide(x, q)
	})
}

// Consult answers a request whose kind Consults, from what is committed. It
// leaves no record, and a request after its NotAfter sends no OTP.
func (s *Services) Consult(ctx context.Context, t network.Transaction) (network.Answer, books.Delivery, error) {
	x, err := s.books.ReadTx(ctx)
	if err != nil {
		return network.Answer{}, books.Delivery{}, fmt.Errorf("consult %s: %w", t.Reference, err)
	}
	now := time.Now()
	var v books.Decision
	advise := s.consultants[t.Kind]
	switch {
	case advise == nil:
		v = declined(codeInvalid, "INVALID TRANSACTION")
	case t.NotAfter.UnixMilli() > 0 && now.After(t.NotAfter):
		v = declined(codeExpired, "REQUEST EXPIRED")
	default:
		if v, err = advise(x, t, now); err != nil {
			return network.Answer{}, books.Delivery{}, fmt.Errorf("consult %s: %w", t.Reference, err)
		}
	}
	a := network.Answer{
		Reference: t.Reference, Status: network.Failed, Code: v.Code, Message: v.Message, STAN: t.STAN, Refusal: v.Refusal,
	}
	if v.Code == network.CodeApproved {
		a.Status, a.Message, a.Data = network.Success, "SUCCESS", v.Data
	}
	s.log.Info("consultation", "reference", t.Reference, "kind", t.Kind, "status", a.Status, "code", a.Code)
	return a, books.Delivery{}, nil
}

// random fills p from the configured source.
func (s *Services) random(p []byte) error {
	s.randMu.Lock()
	defer s.randMu.Unlock()
	_, err := io.ReadFull(s.cfg.Rand, p)
	return err
}

// newID draws a UUID.
func (s *Services) newID() (string, error) {
	var raw [16]byte
	if err := s.random(raw[:]); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80 // version 4, RFC 9562
	return uuid.UUID(raw).String(), nil
}

// sessionLife is how long a session of LOGIN lasts, as the agent's own does.
const sessionLife = 24 * time.Hour

func (s *Services) login(_ books.Tx, _ network.Transaction, now time.Time) (books.Decision, error) {
	id, err := s.newID()
	if err != nil {
		return books.Decision{}, err
	}
	return approved(struct {
		Session string `json:"sessionId"`
		Expires string `json:"expiresAt"`
	}{id, now.Add(sessionLife).UTC().Format("2006-01-02T15:04:05.000Z07:00")})
}

func (s *Services) floatBalance(x books.Tx, _ network.Transaction, _ time.Time) (books.Decision, error) {
	balance, err := x.Float()
	if err != nil {
		return books.Decision{}, err
	}
	return approved(struct {
		Balance rupees `json:"balance"`
	}{rupees(balance)})
}
