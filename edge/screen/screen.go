package screen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

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
	Authenticate(ctx context.Context, operator string) (edge.View, error)
	// Capture starts asking for the finger, and then sending, in the
	// background. While one goes on, or after it, another call changes nothing.
	Capture(id op.ID) error
	// Abandon gives an operation up before it was sent. edge.ErrIllegal.
	Abandon(id op.ID) error
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Recent gives up to limit operations, newest first, older than before.
	Recent(before op.ID, limit int) ([]edge.View, error)
	// ConfirmCash records that cash was handed over. edge.ErrIllegal.
	ConfirmCash(id op.ID) error
	// Banks gives the bank list and when it was fetched.
	Banks() (banks []edge.Bank, at time.Time)
	// CheckPIN gives the agent's name. *edge.PINError.
	CheckPIN(ctx context.Context, pin secret.OTP) (agent string, err error)
}

// Config sets up a Screen. Explain, Receipt and Logger are required.
type Config struct {
	// Language of the pages, a file of messages/; default "en".
	Language string
	// Idle is how long an unlocked screen stays unlocked without a touch;
	// default 5 minutes.
	Idle time.Duration
	// Explain says what a bank's response code means and what to do next.
	Explain func(code string) (meaning, advice string)
	// Receipt makes the receipt of an operation.
	Receipt func(edge.Record) ReceiptView

	// Rand makes sessions and tokens; default crypto/rand.
	Rand   io.Reader
	Logger *slog.Logger
}

// defaultIdle is how long a shopkeeper may turn to a shelf without locking up.
const defaultIdle = 5 * time.Minute

// ReceiptView is a receipt as the receipt page shows it. The Aadhaar number in
// it is masked.
type ReceiptView struct {
	Shop   []string      // the shop's name first, then terminal and place
	Title  string        // what was done
	Status string        // its outcome in words
	Rows   []ReceiptLine // customer, amount, references
	Lines  []string      // of the mini statement, as the bank sent them
	Notes  []string      // what the customer should know
}

// ReceiptLine is one fact of a receipt.
type ReceiptLine struct{ Label, Value string }

// Screen serves the pages. Its Handler may be used without Run, for a server of
// the caller's own.
type Screen struct {
	counter  Counter
	cfg      Config
	words    *words
	pages    map[string]*template.Template
	static   *static
	sessions *sessions
	unlocks  unlocks
	log      *slog.Logger

	streams chan struct{} // a place for each event stream
	closing chan struct{} // closed when Run ends: event streams end
	close   func()
}

// New makes the pages. An error means that a dependency is missing or that the
// program was built from broken files.
func New(counter Counter, cfg Config) (*Screen, error) {
	if counter == nil || cfg.Explain == nil || cfg.Receipt == nil || cfg.Logger == nil {
		return nil, errors.New("screen needs a counter, explanations, receipts and a logger")
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Language == "" {
		cfg.Language = "en"
	}
	if cfg.Idle == 0 {
		cfg.Idle = defaultIdle
	}
	s := &Screen{
		counter: counter, cfg: cfg, log: cfg.Logger,
		streams: make(chan struct{}, maxStreams), closing: make(chan struct{}),
	}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	var err error
	if s.words, err = loadWords(cfg.Language); err != nil {
		return nil, err
	}
	if s.static, err = loadStatic(); err != nil {
		return nil, err
	}
	if s.pages, err = s.loadPages(); err != nil {
		return nil, err
	}
	if s.sessions, err = newSessions(cfg.Rand, cfg.Idle); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler gives the whole UI with its guards.
func (s *Screen) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{stamp}/{name}", s.static.serve)
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /live", s.live)
	mux.HandleFunc("GET /unlock", s.askPIN)
	mux.HandleFunc("POST /unlock", s.unlock)
	mux.HandleFunc("POST /lock", s.post(s.lock))
	mux.HandleFunc("POST /awake", s.post(s.awake))

	mux.HandleFunc("GET /{$}", s.get(s.home))
	mux.HandleFunc("GET /new/{kind}", s.get(s.form))
	mux.HandleFunc("POST /new/{kind}", s.post(s.begin))
	mux.HandleFunc("GET /day", s.get(s.day))
	mux.HandleFunc("POST /day", s.post(s.authenticate))
	mux.HandleFunc("GET /op/{id}", s.get(s.operation))
	mux.HandleFunc("POST /op/{id}/{step}", s.post(s.step))
	mux.HandleFunc("GET /op/{id}/receipt", s.get(s.receipt))
	mux.HandleFunc("GET /operations", s.get(s.operations))
	mux.HandleFunc("GET /", s.get(s.nowhere))
	return s.guard(mux)
}

// healthy answers whoever watches over the daemon; it tells nothing else.
func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "alive\n")
}

// Limits of the server: it has one user with a few tabs, and everything is
// local, so all times are short; event streams lift theirs.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 30 * time.Second // the PIN's slow hash and a slow disk are in it
	idleTimeout  = 2 * time.Minute
	endTimeout   = 5 * time.Second // for requests under way when the program ends
	maxHeader    = 16 << 10        // bytes
)

// Run serves on a loopback listener until ctx ends, and closes it. It is called
// once. It returns when every request has ended.
func (s *Screen) Run(ctx context.Context, l net.Listener) error {
	if !loopback(l.Addr()) {
		_ = l.Close()
		return fmt.Errorf("the counter's screen listens on %s, which other machines can reach; give it a loopback address such as 127.0.0.1", l.Addr())
	}
	var conns sync.WaitGroup
	srv := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				conns.Add(1)
			case http.StateClosed, http.StateHijacked:
				conns.Done()
			}
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	s.close()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if srv.Shutdown(end) != nil {
		_ = srv.Close() // requests that take longer are cut
	}
	if err == nil {
		err = <-ended
	}
	conns.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the counter's screen on %s: %w", l.Addr(), err)
}

// loopback tells whether an address is reached from this machine only.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
