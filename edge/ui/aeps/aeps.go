package aeps

import (
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the pages need of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Start stores a new operation. Errors: *edge.ValidationError, *edge.PreconditionError.
	Start(q edge.Request) (edge.View, error)
	// Validate checks the fields of a request. Error: *edge.ValidationError.
	Validate(q edge.Request) error
	// Bounds returns the smallest and largest amount of the route today.
	Bounds(route op.RouteID) edge.Bounds
	// Capture captures the finger and sends the operation in the background. A call during or
	// after that changes nothing.
	Capture(id op.ID) error
	// Cancel abandons an operation that was not sent yet. Error: edge.ErrIllegal.
	Cancel(id op.ID) error
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Recent returns up to limit operations older than before, newest first.
	Recent(before op.ID, limit int) ([]edge.View, error)
	// Unfinished returns the operations without a final outcome, newest first. Results beside
	// an error are incomplete.
	Unfinished() ([]edge.View, error)
	// ConfirmCash records who handed over the cash. Error: edge.ErrIllegal.
	ConfirmCash(id op.ID, operator edge.User) error
	// AnswerCash records that cash was not given, or that the agent knows that the bank
	// reversed the payment. Error: edge.ErrIllegal.
	AnswerCash(id op.ID, operator edge.User, answer edge.CashState) error
	// MessagesOf returns the SMS with an operation's receipt, newest first.
	MessagesOf(receipt op.ID) []edge.View
	// Banks returns the bank list and when it was fetched.
	Banks() (banks []edge.Bank, at time.Time)
}

// Config sets up the section. Receipt and Logger are required.
type Config struct {
	// BankRate returns how many of the recent operations with a bank were asked and how many
	// succeeded; 0 of 0 where there were too few to judge. It must not block. nil: no rates
	// are shown.
	BankRate func(iin string) (succeeded, asked int)
	// Receipt makes the receipt of an operation.
	Receipt func(r edge.Record, operator *i18n.Localizer) ReceiptView // in the customer's language, else the operator's

	Logger *slog.Logger
}

// ReceiptView is a receipt as the receipt page shows it, with a masked Aadhaar number.
type ReceiptView struct {
	receipt.Receipt

	Code        template.HTML // the reference as QR code; empty: none
	Duplicate   string        // the mark of a reprint; empty: the next print is the original
	Printer     bool          // a receipt printer is set up: POST /op/{id}/print
	PrintStatus string        // how the last print went, in the user's language; empty: nothing was printed
	Tone        string        // of PrintStatus: ok, warn, bad
}

// Pages is the section of AEPS.
type Pages struct {
	*ui.Kit
	counter Counter
	cfg     Config
	log     *slog.Logger
}

// New makes the section. An error means that a dependency is missing.
func New(counter Counter, cfg Config) (*Pages, error) {
	if counter == nil || cfg.Receipt == nil || cfg.Logger == nil {
		return nil, errors.New("the pages need a counter, receipts and a logger")
	}
	return &Pages{counter: counter, cfg: cfg, log: cfg.Logger}, nil
}

// Contents implements ui.Section.
func (s *Pages) Contents(kit *ui.Kit) ui.Contents {
	s.Kit = kit
	c := ui.Contents{Name: "aeps", Files: files, SignIn: s.signInAfterUnlock, Pages: map[string]ui.Handler{
		"GET /{$}":                  s.showHome,
		"GET /new/{kind}":           s.showForm,
		"POST /new/{kind}":          s.create,
		"GET /sign-in":              ui.Show(s.renderSignIn),
		"POST /sign-in":             s.signIn,
		"GET /op/{id}":              ui.Show(s.renderOperation),
		"POST /op/{id}/{step}":      s.takeStep,
		"GET /op/{id}/receipt":      s.showReceipt,
		"POST /op/{id}/receipt":     s.sendReceipt,
		"GET /op/{id}/receipt/code": s.showReceiptCode,
		"GET /connection":           s.showConnection,
	}}
	for i, k := range outcome.AEPSKinds() {
		c.Menu = append(c.Menu, ui.MenuItem{Href: "/new/" + k.Name, Icon: k.Icon, Title: "kind." + k.Name, Hint: "kind." + k.Name + ".hint", Key: string(rune('1' + i)), Tile: true})
	}
	return c
}
