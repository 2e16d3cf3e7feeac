//go:build linux

package e2e

import (
	"context"
	"crypto/ed25519"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/uplink"
	"galla/shared/op"
	frames "galla/shared/wire"
)

// bankTimeout is how long the central waits for the bank in these stories.
const bankTimeout = 3 * time.Second

// TestPromises plays, with real programs, the stories that 'exactly once' depends on.
// The random tests meet them by chance; here nothing is left to chance
// (galla/deploy/test/faults).
func TestPromises(t *testing.T) {
	t.Parallel()
	h := startSandbox(t, "GALLA_BANK_TIMEOUT="+bankTimeout.String())
	t.Run("a payment that a counter has seen is stored", func(t *testing.T) { seenIsStored(t, h) })
	t.Run("a request is recorded before it is sent", func(t *testing.T) { recordedBeforeSent(t, h) })
	t.Run("a request without an answer is not sent again", func(t *testing.T) { notSentAgain(t, h) })
	t.Run("a second attempt waits for the first", func(t *testing.T) { secondAttempt(t, h) })
	t.Run("an operation that was never seen is refused for ever", func(t *testing.T) { tombstoneIsKept(t, h) })
}

// debitsOf counts the debits of an amount that a test uses once.
func debitsOf(h *sandbox, paise int64) int {
	n := 0
	for _, e := range h.executions(time.Now().Add(-time.Hour), time.Now().Add(time.Minute)) {
		if e.AmountPaise == paise && e.Status == "EXECUTED" {
			n++
		}
	}
	return n
}

// recordedBeforeSent kills the central after the bank has executed and before it has
// answered.
func recordedBeforeSent(t *testing.T, h *sandbox) {
	// The first waits for the agent's authentication. The second goes straight to the
	// bank, in the session that the first opened. Both execute, and are never answered.
	for _, paise := range []int64{211_97, 212_97} {
		recordedBeforeSentOnce(t, h, paise)
	}
}

func recordedBeforeSentOnce(t *testing.T, h *sandbox, paise int64) {
	body, err := h.transaction(h.reader, choudhury, paise)
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("recorded-%d", paise)
	token := h.token(lakshmi, lakshmiSecret)
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = h.postTransaction("/aeps/withdrawal", token, key, body) // it is cut off
	}()
	h.waitForExecution(t, paise)
	h.killAndWait("central")
	<-called
	var last answer
	waitUntil(t, "the repeat has a final reply", 2*time.Minute, func() bool {
		token, err := h.newToken(lakshmi, lakshmiSecret)
		if err != nil {
			return false
		}
		last, err = h.postTransaction("/aeps/withdrawal", token, key, body)
		return err == nil && judge(last).final()
	})
	if v := judge(last); v != succeeded {
		t.Errorf("the central says %s of what the bank has EXECUTED: %s", v, last.raw)
	}
	if n := debitsOf(h, paise); n != 1 {
		t.Errorf("doubled: the books hold %d debits of one withdrawal", n)
	}
}

// notSentAgain stops the bank until the deadline of the request has passed. The bank
// must not execute that one then; it would execute a second one.
func notSentAgain(t *testing.T, h *sandbox) {
	const paise = 223_00
	first, err := h.transaction(h.reader, agarwal, paise+100)
	if err != nil {
		t.Fatal(err)
	}
	// The first withdrawal authenticates the agent, which would be left unanswered.
	if a, err := h.postTransaction("/aeps/withdrawal", h.token(lakshmi, lakshmiSecret), "promise-0", first); err != nil || judge(a) != succeeded {
		t.Fatalf("a withdrawal while all is well: %v, %s", err, a.raw)
	}
	body, err := h.transaction(h.reader, agarwal, paise)
	if err != nil {
		t.Fatal(err)
	}
	token := h.token(lakshmi, lakshmiSecret)
	if !h.signal("bank", syscall.SIGSTOP) {
		t.Fatal("the bank does not run")
	}
	replied := make(chan answer, 1)
	go func() {
		a, err := h.postTransaction("/aeps/withdrawal", token, "promise-2", body)
		if err != nil {
			t.Errorf("the withdrawal: %v", err)
		}
		replied <- a
	}()
	time.Sleep(bankTimeout + 2*time.Second)
	h.signal("bank", syscall.SIGCONT)
	last := <-replied
	time.Sleep(bankTimeout) // whatever was sent has been read
	if n := debitsOf(h, paise); n != 0 || judge(last) != pending {
		t.Errorf("what the bank did not answer was sent again: the books hold %d debits, and the central says %s: %s", n, judge(last), last.raw)
	}
}

// seenIsStored kills the counter when the central has just forgotten the event of a payment:
// nobody tells the counter of it any more. No other terminal is enrolled yet.
func seenIsStored(t *testing.T, h *sandbox) {
	var qr struct{ Data struct{ VPA string } }
	_, _, raw, err := h.do("POST", h.url("CENTRAL")+"/upi/txn/v1/GenerateQR", map[string]any{"order_id": "printed"}, "Authorization", "Bearer "+h.token(lakshmi, lakshmiSecret))
	if err = errors.Join(err, json.Unmarshal(raw, &qr)); err != nil || qr.Data.VPA == "" {
		t.Fatalf("the shop's code: %v, %s", err, raw)
	}
	var paid struct{ ID string }
	_, _, raw, err = h.do("POST", h.url("BANK")+"/control/upi/pay", map[string]any{"vpa": qr.Data.VPA, "amount": 239})
	if err = errors.Join(err, json.Unmarshal(raw, &paid)); err != nil || paid.ID == "" {
		t.Fatalf("pay: %v, %s", err, raw)
	}
	db, err := h.openSQLite("ro")
	must(t, err)
	defer db.Close()
	var operation string
	waitUntil(t, "the counter has seen the payment", time.Minute, func() bool {
		var events int
		err := db.QueryRow(`SELECT p.operation, (SELECT count(*) FROM events e WHERE e.operation = p.operation) FROM upi_payments p WHERE p.id = ?`, paid.ID).Scan(&operation, &events)
		return err == nil && events == 0
	})
	h.killAndWait("edge")
	a, err := newAgent(h.url("COUNTER"))
	must(t, err)
	var list map[string][]string
	waitUntil(t, "the counter shows its list", time.Minute, func() bool {
		list, err = a.listed()
		return err == nil
	})
	if kinds := list[operation]; len(kinds) != 1 {
		t.Errorf("the counter has seen payment %s, and lost it: it lists %v", paid.ID, kinds)
	}
}

// secondAttempt tries a transfer again under its refId: after a refused OTP, over a
// central that was killed meanwhile; and while the first may still be executed.
func secondAttempt(t *testing.T, h *sandbox) {
	const mobile, instant = "9000000002", "/dmt/txn/v1/transaction/instant"
	post := func(path string, body map[string]any) map[string]any {
		t.Helper()
		_, _, raw, err := h.do("POST", h.url("CENTRAL")+path, body, "Authorization", "Bearer "+h.token(lakshmi, lakshmiSecret))
		var reply struct {
			StatusCode string
			Data       map[string]any
		}
		if err = errors.Join(err, json.Unmarshal(raw, &reply)); err != nil || reply.StatusCode != "00" && path != instant {
			t.Fatalf("POST %s: %v, %s", path, err, raw)
		}
		return reply.Data
	}
	to, beneficiary := h.registerRemitter(t, post, mobile, agarwal, "001234567822", "HDFC0000123")
	attempt := func(refID, otp string) map[string]any {
		t.Helper()
		return post(instant, map[string]any{
			"senderId": to["senderId"], "BeneficiaryId": beneficiary, "amount": to["amount"], "refId": refID, "otp": otp,
			"receiver_account_no": to["receiver_account_no"], "receiverIfscCode": to["receiverIfscCode"], "account_holder_name": "Ravi Kapoor",
		})
	}
	send := func(refID, amount, mistyped string) map[string]any {
		t.Helper()
		to["amount"] = json.Number(amount)
		post("/dmt/txn/v1/transaction/otp", to)
		otp := h.otp(t, mobile)
		if mistyped != "" {
			otp = string('0'+(otp[0]-'0'+1)%10) + otp[1:]
		}
		return attempt(refID, otp)
	}
	if d := send("promise-3", "233", "mistyped"); d["status"] != "FAILED" {
		t.Fatalf("a wrong OTP: %v", d)
	}
	h.killAndWait("central")
	h.awaitCentral(t)
	if d := send("promise-3", "233", ""); d["status"] != "SUCCESS" {
		t.Errorf("the right OTP under the same refId: %v", d)
	}
	if n := debitsOf(h, 233_00); n != 1 {
		t.Errorf("doubled: the books hold %d debits of one transfer", n)
	}
	first := send("promise-4", "229.94", "") // pending for ten seconds, and then executed
	if !h.signal("bank", syscall.SIGSTOP) {  // it decides nothing before the second attempt
		t.Fatal("the bank does not run")
	}
	d := attempt("promise-4", "000000")
	h.signal("bank", syscall.SIGCONT)
	if first["status"] != "PENDING" || d["transactionId"] != first["transactionId"] {
		t.Errorf("a second attempt began while the first may be executed: %v, then %v", first, d)
	}
	waitUntil(t, "the transfer has its end", time.Minute, func() bool {
		return post("/dmt/txn/v1/transaction/requery", map[string]any{"refId": "promise-4"})["status"] == "SUCCESS"
	})
	if n := debitsOf(h, 229_94); n != 1 {
		t.Errorf("doubled: the books hold %d debits of one transfer", n)
	}
}

// recordingCounter is a counter that records what the central reports to it.
type recordingCounter struct{ frames chan frames.Frame }

func (e recordingCounter) Hello() (frames.Frame, error) { return frames.Frame{}, nil }
func (e recordingCounter) Welcome(f frames.Frame) error { return e.Receive(f) }
func (e recordingCounter) Disconnected(error)           {}
func (e recordingCounter) Receive(f frames.Frame) error {
	select {
	case e.frames <- f:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("nobody takes a frame %s", f.T)
	}
}

// nextFrame gives the next frame of one of the types.
func (e recordingCounter) nextFrame(t *testing.T, types ...frames.Type) frames.Frame {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case f := <-e.frames:
			for _, want := range types {
				if f.T == want {
					return f
				}
			}
		case <-limit:
			t.Fatalf("no frame of %v came", types)
		}
	}
}

// tombstoneIsKept asks for an operation before its frame arrives: a counter whose
// connection broke does so while the frame is still in transit.
func tombstoneIsKept(t *testing.T, h *sandbox) {
	const paise = 227_00
	hears := recordingCounter{frames: make(chan frames.Frame, 100)}
	line := dialAsNewTerminal(t, h, hears)
	body, err := h.transaction(h.reader, kapoor, paise)
	if err != nil {
		t.Fatal(err)
	}
	hears.nextFrame(t, frames.TWelcome)
	id, err := op.NewID(crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	give := func(f frames.Frame) {
		t.Helper()
		if err := line.Send(f); err != nil {
			t.Fatal(err)
		}
	}
	give(frames.Frame{T: frames.TAsk, ID: id})
	hears.nextFrame(t, frames.TUnseen)
	now := time.Now().UnixMilli()
	give(frames.Frame{T: frames.TOp, ID: id, Route: op.Withdrawal, Body: body, NotAfter: now + 90_000, CapturedAt: now})
	if f := hears.nextFrame(t, frames.TOutcome); f.State != op.Failed && f.State != op.Refused {
		t.Errorf("what was declared never seen is %s: %s", f.State, f.Reply)
	}
	if n := debitsOf(h, paise); n != 0 {
		t.Errorf("what was declared never seen is EXECUTED %d times", n)
	}
}

// lineBackoff bounds the wait of a test's own connection between two attempts: these
// stories are short.
const lineBackoff = 2 * time.Second

// dialAsNewTerminal enrols a counter and connects it.
func dialAsNewTerminal(t *testing.T, h *sandbox, hears edge.Receiver) *uplink.Client {
	t.Helper()
	public, key, err := ed25519.GenerateKey(crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var minted, enrolled struct {
		Data struct {
			Code     string `json:"code"`
			Terminal string `json:"terminalId"`
			Uplink   string `json:"uplink"`
			Audience string `json:"audience"`
		} `json:"data"`
	}
	post := func(path string, body, into any, header ...string) {
		status, _, raw, err := h.do("POST", h.url("CENTRAL")+path, body, header...)
		if err == nil && status/100 == 2 {
			err = json.Unmarshal(raw, into)
		}
		if err != nil || status/100 != 2 {
			t.Fatalf("POST %s: HTTP %d, %v", path, status, err)
		}
	}
	post("/terminals", map[string]any{}, &minted, "Authorization", "Bearer "+h.token(lakshmi, lakshmiSecret))
	post("/terminals/enrol", map[string]any{"code": minted.Data.Code, "publicKey": []byte(public), "name": "promises"}, &enrolled)
	line, err := uplink.New(uplink.Config{
		URL: enrolled.Data.Uplink, TerminalID: enrolled.Data.Terminal, Audience: enrolled.Data.Audience, Key: key,
		MaxBackoff: lineBackoff, Version: "e2e", Rand: crand.Reader, Logger: slog.New(slog.DiscardHandler),
	}, hears)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- line.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the connection: %v", err)
		}
	})
	return line
}
