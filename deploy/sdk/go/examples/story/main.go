// Command story is a partner's day against the sandbox: withdraw, transfer and refund,
// directly and through the gateway, and a callback for each operation that was pending.
//
//	make run                                  in another terminal
//	galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla
//	GALLA_CALLBACK_SECRET=whsec_… go run ./examples/story
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	galla "galla.example/sdk"
	"galla.example/sdk/examples/sandbox"
)

// client is what both clients have of this story.
type client interface {
	galla.Waiter
	AepsWithdrawal(context.Context, galla.AepsWithdrawalParams, ...galla.CallOption) (*galla.Result[galla.Withdrawal], error)
	DmtBeneficiaryAccountVerification(context.Context, galla.DmtBeneficiaryAccountVerificationParams, ...galla.CallOption) (*galla.Result[galla.Verification], error)
	DmtBeneficiaryAdd(context.Context, galla.DmtBeneficiaryAddParams, ...galla.CallOption) (*galla.Result[galla.DmtBeneficiaryAddData], error)
	DmtTransactionOtp(context.Context, galla.DmtTransactionOtpParams, ...galla.CallOption) (*galla.Result[galla.None], error)
	DmtTransactionInstant(context.Context, galla.DmtTransactionInstantParams, ...galla.CallOption) (*galla.Result[galla.Transfer], error)
	DmtTransactionRefundOtp(context.Context, galla.DmtTransactionRefundOtpParams, ...galla.CallOption) (*galla.Result[galla.None], error)
	DmtRefund(context.Context, galla.DmtRefundParams, ...galla.CallOption) (*galla.Result[galla.DmtRefundData], error)
}

// The people of this story are the sandbox's.
const (
	customer     = "999971658847"
	sender       = "999990501894"
	merchant     = "c0000000-0000-4000-8000-000000000001"
	maxWait      = time.Minute
	senderIFSC   = "HDFC0000123"
	receiverName = "Sunita Choudhury"
)

// get gives the data of a success; a decline and a pending operation are errors.
func get[T any](r *galla.Result[T], err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return r.Get()
}

func withdrawal(amount galla.Rupees) (galla.AepsWithdrawalParams, error) {
	pid, err := sandbox.Capture(customer)
	return galla.AepsWithdrawalParams{
		AadharNo: customer, TxnAmount: amount, Latitude: "18.5204", Longitude: "73.8567", CustomerName: "Kumar Agarwal", BankName: "607094", PidData: pid,
	}, err
}

// withdraw makes the withdrawals, and gives the reference of the one that was pending.
func withdraw(ctx context.Context, door string, c client) (string, error) {
	var last *galla.Result[galla.Withdrawal]
	for _, w := range []struct {
		amount galla.Rupees
		want   galla.State
		code   string
	}{{100_00, galla.Success, "00"}, {100_51, galla.Declined, "51"}, {100_94, galla.Pending, "00"}} {
		params, err := withdrawal(w.amount)
		if err != nil {
			return "", err
		}
		key := galla.NewKey() // stored by a real program, before it calls
		if last, err = c.AepsWithdrawal(ctx, params, galla.WithKey(key)); err != nil {
			return "", err
		}
		if last.State != w.want || last.Code != w.code {
			return "", fmt.Errorf("not as expected: %v", last)
		}
		fmt.Printf("%s: withdraw %v: %s", door, w.amount, last.State)
		if last.State == galla.Declined {
			fmt.Printf(", %s", last.Code)
		}
		fmt.Println()
	}
	last, err := galla.Wait(ctx, c, last, maxWait)
	data, err := get(last, err)
	if err != nil {
		return "", err
	}
	fmt.Printf("%s: withdraw 100.94: %s\n", door, last.State)
	return data.RetailerReferenceNumber, refused(ctx, door, c)
}

// refused sends an amount of three decimals. The type Rupees has none, so a program that
// computes amounts can't; here Call does.
func refused(ctx context.Context, door string, c client) error {
	caller := c.(interface {
		Call(context.Context, string, string, []byte, ...galla.CallOption) (*galla.Result[galla.Raw], error)
	})
	body := `{"merchantId":"` + merchant + `","AadharNo":"` + customer + `","TxnAmount":1.005,"Latitude":"1","Longitude":"1","CustomerName":"Kumar","PidData":"x"}`
	_, err := caller.Call(ctx, "POST", "/aeps/withdrawal", []byte(body))
	var e *galla.Error
	if !errors.As(err, &e) || !errors.Is(err, galla.ErrValidation) || !slices.ContainsFunc(e.Fields, func(f galla.FieldFault) bool { return f.Field == "TxnAmount" }) {
		return fmt.Errorf("three decimals were taken: %w", err)
	}
	fmt.Printf("%s: withdraw 1.005: ValidationError of TxnAmount\n", door)
	return nil
}

// digits gives random ones.
func digits(n int) string {
	var b bytes.Buffer
	for range n {
		fmt.Fprint(&b, rand.IntN(10))
	}
	return b.String()
}

// onboard onboards a customer, once for each: then she is a remitter. It gives her id.
func onboard(ctx context.Context, d *galla.DirectClient, mobile string) (string, error) {
	begun, err := get(d.DmtCustomerOnboarding(ctx, galla.DmtCustomerOnboardingParams{Name: "Anisha Jay Kapoor", MobileNo: mobile, City: "Pune", State: "Maharashtra"}))
	if err != nil {
		return "", err
	}
	id := begun.Referenceid
	asked, err := get(d.DmtCustomerRequestOtp(ctx, galla.DmtCustomerRequestOtpParams{Referenceid: id}))
	if err != nil {
		return "", err
	}
	code, err := sandbox.OTP(mobile)
	if err != nil {
		return "", err
	}
	if _, err := get(d.DmtCustomerValidateOtp(ctx, galla.DmtCustomerValidateOtpParams{Referenceid: id, Otpreqid: asked.Otpreqid, Otp: code})); err != nil {
		return "", err
	}
	if _, err := get(d.DmtCustomerVerifyUid(ctx, galla.DmtCustomerVerifyUidParams{Referenceid: id, Aadhaarno: sender})); err != nil {
		return "", err
	}
	pid, err := sandbox.CaptureEKYC(sender)
	if err != nil {
		return "", err
	}
	if _, err := get(d.DmtCustomerUpdatebiodetail(ctx, galla.DmtCustomerUpdatebiodetailParams{Referenceid: id, Aadhaarno: sender, PidData: pid})); err != nil {
		return "", err
	}
	if _, err := get(d.DmtCustomerSubmit(ctx, galla.DmtCustomerSubmitParams{Referenceid: id})); err != nil {
		return "", err
	}
	remitter, err := get(d.DmtRemitterRegister(ctx, galla.DmtRemitterRegisterParams{SenderMobilenumber: mobile}))
	fmt.Println("direct: a new remitter")
	return remitter.Senderid, err
}

// transfer sends money, and gets it back.
func transfer(ctx context.Context, door string, c client, senderID, mobile string) error {
	account := "0012345" + digits(4) + "1"
	if _, err := get(c.DmtBeneficiaryAccountVerification(ctx, galla.DmtBeneficiaryAccountVerificationParams{SenderID: senderID, ReceiverAccountNo: account, ReceiverIfscCode: senderIFSC})); err != nil {
		return err
	}
	added, err := get(c.DmtBeneficiaryAdd(ctx, galla.DmtBeneficiaryAddParams{SenderID: senderID, Receivername: receiverName, ReceiverAccountNo: account, ReceiverIfscCode: senderIFSC}))
	if err != nil {
		return err
	}
	const amount galla.Rupees = 25_00
	if _, err := get(c.DmtTransactionOtp(ctx, galla.DmtTransactionOtpParams{SenderID: senderID, Amount: amount, ReceiverAccountNo: account, ReceiverIfscCode: senderIFSC})); err != nil {
		return err
	}
	code, err := sandbox.OTP(mobile)
	if err != nil {
		return err
	}
	refID := galla.NewKey() // the transfer's identity, stored before it is sent
	sent, err := get(c.DmtTransactionInstant(ctx, galla.DmtTransactionInstantParams{
		SenderID: senderID, BeneficiaryID: added.Beneficiaryid, Amount: amount, RefID: refID, Otp: code,
		ReceiverAccountNo: account, ReceiverIfscCode: senderIFSC, AccountHolderName: receiverName,
	}))
	if err != nil {
		return err
	}
	fmt.Printf("%s: transfer %v: success\n", door, sent.Amount)
	if _, err := get(c.DmtTransactionRefundOtp(ctx, galla.DmtTransactionRefundOtpParams{RefereanceID: sent.TransactionID})); err != nil {
		return err
	}
	if code, err = sandbox.OTP(mobile); err != nil {
		return err
	}
	back, err := get(c.DmtRefund(ctx, galla.DmtRefundParams{TransactionID: sent.TransactionID, RefID: refID, Otp: code}))
	if err != nil {
		return err
	}
	fmt.Printf("%s: refund %v: success\n", door, back.Amount)
	return nil
}

// receive serves the callbacks' address, and gives verified events.
func receive(events chan<- galla.Event) (*http.Server, error) {
	verifier, err := galla.NewVerifier(os.Getenv("GALLA_CALLBACK_SECRET"))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("GALLA_CALLBACK_PORT"), "7400"))
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: maxWait, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		event, err2 := verifier.Verify(r.Header, body)
		if err := errors.Join(err, err2); err != nil {
			http.Error(w, "not genuine", http.StatusUnauthorized)
			fmt.Fprintln(os.Stderr, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		if _, err := verifier.Verify(r.Header, bytes.Replace(body, []byte("SUCCESS"), []byte("FAILED"), 1)); !errors.Is(err, galla.ErrBadSignature) {
			fmt.Println("a changed callback was taken")
		}
		events <- event // by its WebhookID, once
	})}
	go func() { _ = server.Serve(listener) }()
	return server, nil
}

func run(ctx context.Context) error {
	cfg := galla.Config{BaseURL: cmp.Or(os.Getenv("GALLA_CENTRAL"), "http://127.0.0.1:7100")}
	direct, err := galla.NewDirect(galla.DirectConfig{Config: cfg, ClientID: "merchant-lakshmi", ClientSecret: "sandbox-merchant-1"})
	if err != nil {
		return err
	}
	cfg.MerchantID = merchant
	gateway, err := galla.NewGateway(galla.GatewayConfig{
		Config: cfg, ClientID: "vk_sandbox_sahyadri", Key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
	})
	if err != nil {
		return err
	}
	events := make(chan galla.Event, 16)
	server, err := receive(events)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	mobile := "98" + digits(8)
	senderID, err := onboard(ctx, direct, mobile)
	if err != nil {
		return err
	}
	waiting := map[string]string{}
	for _, door := range []string{"direct", "gateway"} {
		c := map[string]client{"direct": direct, "gateway": gateway}[door]
		if waiting[door], err = withdraw(ctx, door, c); err != nil {
			return err
		}
		if err := transfer(ctx, door, c, senderID, mobile); err != nil {
			return err
		}
	}
	if err := told(waiting, events); err != nil {
		return err
	}
	fmt.Println("story: all right")
	return nil
}

// told waits for the callbacks of the operations that were pending.
func told(waiting map[string]string, events <-chan galla.Event) error {
	late := time.After(maxWait)
	status := map[string]string{}
	for status[waiting["direct"]] == "" || status[waiting["gateway"]] == "" {
		select {
		case e := <-events:
			status[e.Data.Reference] = e.Data.TxnStatus
		case <-late:
			return errors.New("a callback has not arrived")
		}
	}
	for _, door := range []string{"direct", "gateway"} {
		fmt.Printf("%s: callback: %s\n", door, status[waiting[door]])
	}
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
