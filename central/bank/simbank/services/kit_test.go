package services

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/rdservice/rdcrypto"
	"galla/shared/money"
	"galla/shared/secret"
)

func TestMain(m *testing.M) {
	// Each check of the walk opens files and syncs them; -rapid.checks asks for
	// more.
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
	theKit() // outside of every bubble
	goleak.VerifyTestMain(m)
}

// kit makes PidData as a device does.
type kit struct {
	cert   *x509.Certificate
	key    *rsa.PrivateKey
	device *rsa.PrivateKey
	mc     *x509.Certificate
}

var theKit = sync.OnceValue(func() *kit {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "galla-services-kit")
	must(err)
	defer func() { must(os.RemoveAll(dir)) }()
	k := &kit{}
	k.cert, k.key, err = rdcrypto.EnsureAuthority(dir, rand.Reader)
	must(err)
	k.device, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	k.mc, err = rdcrypto.DeviceCertificate(k.device, "SIM", 100*365*24*time.Hour, rand.Reader)
	must(err)
	return k
})

// capture is the PidData of a person's thumb at a moment.
func (k *kit) capture(t testing.TB, aadhaar string, at time.Time) secret.PidData {
	t.Helper()
	block, err := rdcrypto.Block(at, "", "dc-1", []rdcrypto.Sample{{Type: "FMR", Posh: "UNKNOWN", Raw: rdcrypto.Template(aadhaar, rdcrypto.RightThumb)}}, k.device, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := rdcrypto.Seal(block, at, k.cert, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return secret.NewPidData(fmt.Sprintf(`<PidData><Resp errCode="0" errInfo="" fCount="1" fType="2" nmPoints="61" qScore="80"/>`+
		`<DeviceInfo dpId="SIM.GALLA" rdsId="SIM.GALLA.001" rdsVer="1.0.0" dc="dc-1" mi="SIM" mc="%s"/>`+
		`<Skey ci="%s">%s</Skey><Hmac>%s</Hmac><Data type="X">%s</Data></PidData>`,
		base64.StdEncoding.EncodeToString(k.mc.Raw), sealed.CI, sealed.Skey, sealed.Hmac, sealed.Data))
}

// People, places and parties of the tests.
const (
	shivshankar = "999941057058"
	kumar       = "999971658847"
	unknown     = "234123412346" // a valid number of nobody here
	mobile      = "9000000001"
	merchant    = "GAL0000002"
	account     = "001234567891234"
	ifsc        = "SBIN0001234"
)

// bank is books with their services, and the requests that were sent.
type bank struct {
	*Services
	t     testing.TB
	books *books.Books
	cfg   books.Config
	scfg  Config
	mu    sync.Mutex
	n     int
	// unchecked leaves out what exec looks at after each request.
	unchecked bool
}

func openBank(t testing.TB, cfg Config) *bank {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	b := &bank{t: t, scfg: cfg, cfg: books.Config{
		Dir: t.TempDir(), AuthorityKey: theKit().key, AuthorityCert: theKit().cert, Rand: rand.Reader, Logger: cfg.Logger, TimeScale: cfg.TimeScale,
	}}
	b.open()
	t.Cleanup(func() {
		if err := b.books.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bank) open() {
	b.t.Helper()
	var err error
	if b.books, err = books.Open(b.t.Context(), b.cfg); err != nil {
		b.t.Fatal(err)
	}
	if b.Services, err = New(b.books, b.scfg); err != nil {
		b.t.Fatal(err)
	}
}

// reopen is a restart of the bank.
func (b *bank) reopen() {
	b.t.Helper()
	if err := b.books.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// with changes a request before it is sent.
type with func(*network.Transaction)

func particulars(p network.Particulars) with {
	return func(t *network.Transaction) { t.Particulars = p }
}
func amount(a money.Paise) with { return func(t *network.Transaction) { t.Amount = a } }
func otpIs(s string) with {
	return func(t *network.Transaction) { t.OTP = secret.NewOTP(s) }
}
func by(mid string) with { return func(t *network.Transaction) { t.MID = mid } }
func named(reference string) with {
	return func(t *network.Transaction) { t.Reference = reference }
}

func (b *bank) holder(number string) with {
	a, err := secret.ParseAadhaar(number)
	if err != nil {
		b.t.Fatal(err)
	}
	return func(t *network.Transaction) { t.Aadhaar = a }
}

func (b *bank) finger(number string) with {
	pid := theKit().capture(b.t, number, time.Now())
	return func(t *network.Transaction) { t.PidData = pid }
}

func (b *bank) request(kind network.Kind, changes ...with) network.Transaction {
	b.mu.Lock()
	b.n++
	n := b.n
	b.mu.Unlock()
	t := network.Transaction{
		Reference: fmt.Sprintf("S%d", n), STAN: fmt.Sprintf("%06d", n), Kind: kind, NotAfter: time.Now().Add(15 * time.Second), MID: merchant,
	}
	for _, c := range changes {
		c(&t)
	}
	return t
}

// send delivers a request where its kind belongs, and looks at what every
// answer must keep.
func (b *bank) send(kind network.Kind, changes ...with) network.Answer {
	b.t.Helper()
	t := b.request(kind, changes...)
	if kind.IsConsultation() {
		a, _, err := b.Consult(b.t.Context(), t)
		if err != nil {
			b.t.Fatal(err)
		}
		b.checkAnswer(t, a)
		if found, err := b.books.Enquire(b.t.Context(), t.Reference); err != nil || found.Status != network.NotFound {
			b.t.Errorf("%s left a record: %+v, %v", kind, found, err)
		}
		return a
	}
	a, _, err := b.Execute(b.t.Context(), t)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.unchecked {
		return a
	}
	b.checkAnswer(t, a)
	if found, err := b.books.Enquire(b.t.Context(), t.Reference); err != nil || !same(a, found) {
		b.t.Errorf("%s: the answer was\n%+v, the enquiry says\n%+v, %v", kind, a, found, err)
	}
	again, _, err := b.Execute(b.t.Context(), t)
	if err != nil || again.Code != network.CodeDuplicate || again.Status != network.Failed || again.Data != nil {
		b.t.Errorf("%s with the same reference: %+v, %v", kind, again, err)
	}
	return a
}

func (b *bank) checkAnswer(t network.Transaction, a network.Answer) {
	b.t.Helper()
	if a.Reference != t.Reference && a.Status != network.NotFound || (a.Status == network.Success) != (a.Code == network.CodeApproved) ||
		(a.Data != nil) != (a.Status == network.Success) || a.Message == "" || a.Refusal != "" && a.Status != network.Failed {
		b.t.Errorf("%s: answer %+v", t.Kind, a)
	}
}

func same(a, b network.Answer) bool {
	x, _ := network.EncodeAnswer(a)
	y, _ := network.EncodeAnswer(b)
	return string(x) == string(y)
}

// ok sends a request that must succeed with exactly these keys, and gives its
// data.
func (b *bank) ok(keys string, kind network.Kind, changes ...with) map[string]any {
	b.t.Helper()
	a := b.send(kind, changes...)
	if a.Status != network.Success {
		b.t.Fatalf("%s: %s %s", kind, a.Code, a.Message)
	}
	return b.data(keys, a)
}

func (b *bank) data(keys string, a network.Answer) map[string]any {
	b.t.Helper()
	var data map[string]any
	if err := json.Unmarshal(a.Data, &data); err != nil {
		b.t.Fatalf("data %s: %v", a.Data, err)
	}
	var got []string
	for k := range data {
		got = append(got, k)
	}
	want := strings.Fields(keys)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.t.Errorf("data %s, want the keys %s", a.Data, keys)
	}
	return data
}

// refused sends a request that must be declined.
func (b *bank) refused(code string, refusal network.Refusal, words string, kind network.Kind, changes ...with) {
	b.t.Helper()
	a := b.send(kind, changes...)
	if a.Status != network.Failed || a.Code != code || a.Refusal != refusal || !strings.Contains(a.Message, words) {
		b.t.Errorf("%s: %s %s %q %q, want %s %q with %q", kind, a.Status, a.Code, a.Refusal, a.Message, code, refusal, words)
	}
}

// otp is the newest OTP that a mobile number got.
func (b *bank) otp(mobile string) string {
	b.t.Helper()
	found, err := b.Inbox(b.t.Context(), mobile)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, m := range found {
		if m.OTP != "" {
			if len(m.OTP) != 6 || !strings.HasPrefix(m.Text, m.OTP+" is the OTP") {
				b.t.Errorf("text %q with the OTP %q", m.Text, m.OTP)
			}
			return m.OTP
		}
	}
	b.t.Fatal("no OTP in the inbox of " + mobile)
	return ""
}

// other is an OTP that is wrong.
func other(otp string) string {
	if otp[0] == '0' {
		return "1" + otp[1:]
	}
	return "0" + otp[1:]
}

func enrolled(reference string) with {
	return particulars(network.Particulars{Enrolment: reference})
}

// enrol brings a customer as far as a step, and gives the referenceid.
func (b *bank) enrol(mobile, to string) string {
	b.t.Helper()
	ref := b.ok("referenceid", network.CustomerOnboarding, particulars(network.Particulars{
		Name: "Shivshankar Choudhury", Mobile: mobile, City: "Pune", State: "Maharashtra", Email: "s@example.in",
	}))["referenceid"].(string)
	steps := []struct {
		status string
		do     func()
	}{
		{customerStarted, func() {}},
		{customerOTPChecked, func() {
			request := b.ok("otpreqid", network.CustomerOTP, enrolled(ref))["otpreqid"].(string)
			b.ok("status", network.CustomerOTPCheck, particulars(network.Particulars{Enrolment: ref, OTPRequest: request}), otpIs(b.otp(mobile)))
		}},
		{customerUIDChecked, func() { b.ok("status", network.CustomerUID, enrolled(ref), b.holder(shivshankar)) }},
		{customerBioUpdated, func() {
			b.ok("status", network.CustomerBiometric, enrolled(ref), b.holder(shivshankar), b.finger(shivshankar))
		}},
		{customerApproved, func() { b.ok("referenceid status", network.CustomerSubmit, enrolled(ref)) }},
	}
	for _, s := range steps {
		s.do()
		if got := b.ok("referenceid status", network.CustomerStatus, enrolled(ref)); got["status"] != s.status || got["referenceid"] != ref {
			b.t.Fatalf("after %s: %v", s.status, got)
		}
		if s.status == to {
			break
		}
	}
	return ref
}

// sender registers a remitter, and gives the senderid.
func (b *bank) sender(mobile string) string {
	b.t.Helper()
	b.enrol(mobile, customerApproved)
	return b.ok("senderid registrationFeeCharged", network.RemitterRegister, particulars(network.Particulars{Mobile: mobile}))["senderid"].(string)
}

// receiver is what a beneficiary is added with, and found by.
func receiver(sender string) network.Particulars {
	return network.Particulars{
		Sender: sender, Receiver: "Ramesh Kumar 100%d", IFSC: ifsc, Account: account, ReceiverMobile: "9876543210", ReceiverEmail: "r@example.in",
		Address: "MG Road 1", City: "Pune", State: "Maharashtra", Branch: "Camp",
	}
}

// beneficiary adds one, and gives what a transfer to it says.
func (b *bank) beneficiary(sender string) network.Particulars {
	b.t.Helper()
	p := receiver(sender)
	p.Beneficiary = int64(b.ok("beneficiaryid", network.BeneficiaryAdd, particulars(p))["beneficiaryid"].(float64))
	p.CallerRef, p.Remarks = "T-1", "rent"
	return p
}

// pay asks for the OTP of a transfer and sends it.
func (b *bank) pay(p network.Particulars, sum money.Paise, mobile string, changes ...with) network.Answer {
	b.t.Helper()
	b.ok("status", network.TransferOTP, particulars(p), amount(sum))
	return b.send(network.Transfer, append([]with{particulars(p), amount(sum), otpIs(b.otp(mobile))}, changes...)...)
}

func original(reference string) with {
	return particulars(network.Particulars{Original: reference, CallerRef: "R-1"})
}

// float is what the float holds.
func (b *bank) float() money.Paise {
	b.t.Helper()
	a := b.send(network.FloatBalance, by("a0000000-0000-4000-8000-000000000001"))
	var data struct {
		Balance float64 `json:"balance"`
	}
	if err := json.Unmarshal(a.Data, &data); err != nil {
		b.t.Fatal(err)
	}
	return money.Paise(data.Balance*100 + 0.5)
}

// balanced holds the trial.
func (b *bank) balanced() {
	b.t.Helper()
	trial, err := b.books.Trial(b.t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		b.t.Errorf("trial %+v, %v", trial, err)
	}
}
