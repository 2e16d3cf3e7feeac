package screen

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
	"galla/shared/secret"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the screen needs of edge.Counter. All methods may be called
// from many goroutines.
type Counter interface {
	Status() edge.Status
	// Watch gives a channel that receives when anything on the screen may have
	// changed; the function ends the watch.
	Watch() (<-chan struct{}, func())
	// Begin reserves an operation's identity on disk. *edge.DraftError,
	// *edge.PrecludedError.
	Begin(ctx context.Context, d edge.Draft) (edge.View, error)
	// Authenticate begins the day's authentication of the agent.
	// *edge.PrecludedError.
	Authenticate(ctx context.Context, operator edge.Operator) (edge.View, error)
	// Bounds gives what an amount of the route must keep today.
	Bounds(route op.RouteID) edge.Bounds
	// Capture starts asking for the finger, and then sending, in the
	// background. While one goes on, or after it, another call changes nothing.
	Capture(id op.ID) error
	// Abandon gives an operation up before it was sent. edge.ErrIllegal.
	Abandon(id op.ID) error
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Recent gives up to limit operations, newest first, older than before.
	Recent(before op.ID, limit int) ([]edge.View, error)
	// ConfirmCash records that cash was handed over, and by whom. edge.ErrIllegal.
	ConfirmCash(id op.ID, operator edge.Operator) error
	// AnswerCash records that cash was not given, or that it is known that the
	// bank took the payment back. edge.ErrIllegal.
	AnswerCash(id op.ID, operator edge.Operator, answer edge.Cash) error
	// Banks gives the bank list and when it was fetched.
	Banks() (banks []edge.Bank, at time.Time)
	// Working gives the operators who may unlock the counter, and who of them has to
	// wait first. Of this, CheckPIN and ChangePIN the context says in which browser
	// (people.InBrowser).
	Working(ctx context.Context) []edge.Operator
	// CheckPIN gives the operator. *edge.PINError, edge.ErrNotFound.
	// people.ErrPINGiven.
	CheckPIN(ctx context.Context, operator string, pin secret.OTP) (edge.Operator, error)
	// ChangePIN sets an operator's own PIN. *edge.PINError, and what
	// people.CheckNewPIN says, people.ErrPINSame.
	ChangePIN(ctx context.Context, operator string, old, pin secret.OTP) error
}

// Config sets up a Screen. Name, Receipt and Logger are required.
type Config struct {
	// Name is the host name that the pages are served under (web.Config).
	Name string
	// Idle is how long an unlocked screen stays unlocked without a touch;
	// default web.DefaultIdle.
	Idle time.Duration
	// KeepLanguage keeps the language that an operator chose (web.Config).
	KeepLanguage func(ctx context.Context, operator, language string) error
	// BankRate says how many of the operations that a bank was asked for lately
	// came through, and how many were asked; 0 of 0 where too few were to say
	// anything. It must not wait. nil: nothing is said of banks.
	BankRate func(iin string) (succeeded, asked int)
	// Receipt makes the receipt of an operation.
	Receipt func(r edge.Record, operator *words.Words) ReceiptView // in the customer's language, else the operator's

	// Rand makes sessions and tokens; default crypto/rand.
	Rand   io.Reader
	Logger *slog.Logger
}

// ReceiptView is a receipt as the receipt page shows it. The Aadhaar number in
// it is masked.
type ReceiptView struct {
	Shop   []string      // the shop's name first, then terminal and place
	Title  string        // what was done
	Status string        // its outcome in words
	Rows   []ReceiptLine // customer, amount, references
	Lines  []string      // of the mini statement, as the bank sent them
	Notes  []string      // what the customer should know
	Advice string        // which advice they are of (told.Outcome)

	Lang    string        // of the texts, BCP 47
	Code    template.HTML // the reference as QR code; empty: none
	Mark    string        // what a reprint says of itself; empty: the next print is the original
	Printer bool          // a receipt printer is set up: POST /op/{id}/print
	Told    string        // how the last slip went, in the operator's language; empty: none was printed
	Tone    string        // of Told: ok, warn, bad
}

// ReceiptLine is one fact of a receipt.
type ReceiptLine struct{ Label, Value string }

// Screen serves the pages: its own and those of all rooms.
type Screen struct {
	*web.Kit
	counter Counter
	cfg     Config
	unlocks unlocks
	log     *slog.Logger
}

// New makes the pages. An error means that a dependency is missing, that two
// rooms bring the same thing, or that the program was built from broken files.
func New(counter Counter, cfg Config, rooms ...web.Room) (*Screen, error) {
	if counter == nil || cfg.Receipt == nil || cfg.Logger == nil {
		return nil, errors.New("screen needs a counter, receipts and a logger")
	}
	s := &Screen{counter: counter, cfg: cfg, log: cfg.Logger}
	kit, err := web.New(counter, web.Config{
		Stands: func(o edge.Operator) bool {
			return slices.ContainsFunc(counter.Working(context.Background()), func(w edge.Operator) bool { return w.ID == o.ID && w.Name == o.Name && w.Role == o.Role })
		},
		Name: cfg.Name, Idle: cfg.Idle, KeepLanguage: cfg.KeepLanguage, Rand: cfg.Rand, Logger: cfg.Logger,
		CheckPIN: func(ctx context.Context, r *http.Request, operator string, pin secret.OTP) error {
			_, err := counter.CheckPIN(s.browserOf(ctx, r), operator, pin)
			return err
		},
		Catalogues: []words.Catalogue{told.Catalogue()},
	}, append([]web.Room{s}, rooms...)...)
	if err != nil {
		return nil, fmt.Errorf("put the pages together: %w", err)
	}
	s.Kit = kit
	return s, nil
}

// Name implements web.Room.
func (s *Screen) Name() string { return "screen" }

// Files implements web.Room.
func (s *Screen) Files() fs.FS { return files }

// Register implements web.Room.
func (s *Screen) Register(mux *http.ServeMux, kit *web.Kit) {
	mux.HandleFunc("GET /unlock", s.askPIN)
	mux.HandleFunc("POST /unlock", s.unlock)
	mux.HandleFunc("GET /{$}", kit.Get(s.home))
	mux.HandleFunc("GET /new/{kind}", kit.Get(s.form))
	mux.HandleFunc("POST /new/{kind}", kit.Post(s.begin))
	mux.HandleFunc("GET /day", kit.Get(s.day))
	mux.HandleFunc("POST /day", kit.Post(s.authenticate))
	mux.HandleFunc("GET /op/{id}", kit.Get(s.operation))
	mux.HandleFunc("POST /op/{id}/{step}", kit.Post(s.step))
	mux.HandleFunc("GET /op/{id}/receipt", kit.Get(s.receipt))
	mux.HandleFunc("GET /line", kit.Get(s.line))
}

// Run serves on a loopback listener until ctx ends, and closes it.
func (s *Screen) Run(ctx context.Context, l net.Listener) error { return s.Kit.Run(ctx, l) }
