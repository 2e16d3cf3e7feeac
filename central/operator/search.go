package operator

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// Search says what operations are looked for by, beside their names. One of
// Aadhaar, Mobile and Merchant is set, or none, which gives those that move money.
type Search struct {
	Aadhaar  string // masked, as it is kept: XXXXXXXX7058
	Mobile   string // ten digits: a merchant's own, and a remitter's by Hash
	Hash     [32]byte
	Merchant central.MerchantID
	From, To time.Time // begun in [From, To)
	Limit    int
}

// Finder looks for operations. Each method is quick while the house is busy.
type Finder interface {
	central.Evidence
	// Search lists operations, the newest first.
	Search(ctx context.Context, s Search) ([]central.Operation, error)
	// Operation gives one, or central.ErrNotFound.
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	// History gives its steps, the oldest first.
	History(ctx context.Context, id op.ID) ([]central.Step, error)
	// LastWords gives the reason of the newest step of each operation.
	LastWords(ctx context.Context, ids []op.ID) (map[op.ID]string, error)
	// EnquireNow makes the enquiry of a pending operation due, and says in its
	// history who wants it; central.ErrState: it is not pending.
	EnquireNow(ctx context.Context, id op.ID, at time.Time, who string) error
}

// MobileKey names mobile numbers by a keyed hash, from which nobody without the
// key finds them.
type MobileKey struct{ key secret.Key }

// NewMobileKey makes it of a key of the central's.
func NewMobileKey(key secret.Key) MobileKey { return MobileKey{key} }

// Hash names a mobile number.
func (k MobileKey) Hash(mobile string) (out [32]byte) {
	m := hmac.New(sha256.New, k.key.Reveal())
	m.Write([]byte("galla/remitter-mobile/v1\n" + mobile))
	copy(out[:], m.Sum(nil))
	return out
}

// Mobiles is where the remitters of mobile numbers are kept.
type Mobiles interface {
	// NoteMobile records that a remitter has a mobile number, once.
	NoteMobile(ctx context.Context, hash [32]byte, sender string, at time.Time) error
}

// Noting is a bank network that notes which remitter a mobile number belongs
// to, where the network says so: transfers name the remitter only, and customers
// ask by their number. It implements central.Bank.
type Noting struct {
	central.Bank
	mobiles Mobiles
	key     MobileKey
	log     *slog.Logger
}

var _ central.Bank = (*Noting)(nil)

// NewNoting lays the notes beside a network.
func NewNoting(network central.Bank, mobiles Mobiles, key MobileKey, log *slog.Logger) (*Noting, error) {
	if network == nil || mobiles == nil || key.key.IsZero() || log == nil {
		return nil, errors.New("to note remitters' numbers needs a network, a database, a key and a logger")
	}
	return &Noting{network, mobiles, key, log}, nil
}

// Send implements central.Bank.
func (n *Noting) Send(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	a, err := n.Bank.Send(ctx, req)
	n.note(ctx, req, a, err)
	return a, err
}

// Consult implements central.Bank.
func (n *Noting) Consult(ctx context.Context, req central.BankRequest) (central.BankAnswer, error) {
	a, err := n.Bank.Consult(ctx, req)
	n.note(ctx, req, a, err)
	return a, err
}

// note writes down what an answer says. What can't be written is not found
// later, and stops nothing.
func (n *Noting) note(ctx context.Context, req central.BankRequest, a central.BankAnswer, err error) {
	if err != nil || a.Status != central.BankApproved || req.Particulars.Mobile == "" ||
		req.Kind != central.KindRemitterRegister && req.Kind != central.KindRemitterDetails {
		return
	}
	var said struct {
		Sender string `json:"senderid"` // senderId in some replies
	}
	if json.Unmarshal(a.Data, &said, json.MatchCaseInsensitiveNames(true)) != nil || said.Sender == "" {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), trailWait)
	defer cancel()
	if err := n.mobiles.NoteMobile(last, n.key.Hash(req.Particulars.Mobile), clip(said.Sender, maxSubject), time.Now()); err != nil {
		n.log.Warn("a remitter can't be noted: transfers are not found by the mobile number", "error", err)
	}
}

// Replied is what the caller of an operation was told, without the customer's
// data; empty: nothing so far.
func Replied(o central.Operation) string {
	if len(o.Reply) == 0 {
		return ""
	}
	var said struct {
		StatusCode string `json:"statusCode"`
		Message    string `json:"message"`
	}
	if err := json.Unmarshal(o.Reply, &said); err != nil {
		return fmt.Sprintf("HTTP %d", o.HTTP)
	}
	return fmt.Sprintf("HTTP %d, statusCode %q, %s", o.HTTP, said.StatusCode, said.Message)
}
