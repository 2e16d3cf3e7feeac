package web

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/localname"
	"galla/shared/look"
)

//go:embed templates static messages icons
var own embed.FS

// Counter is what the kit needs of edge.Counter. All methods may be called from
// many goroutines.
type Counter interface {
	Status() edge.Status
	// Watch gives a channel that receives when anything on a page may have
	// changed; the function ends the watch.
	Watch() (<-chan struct{}, func())
}

// Room is what a page room brings to the kit.
type Room interface {
	// Name is the room's: the first part of its pages' names.
	Name() string
	// Files holds templates, static, icons and messages, each if needed.
	Files() fs.FS
	// Register adds the room's routes; the kit serves when all rooms have.
	Register(mux *http.ServeMux, kit *Kit)
}

// Chipper is a room that has something to say in the status bar of every page.
type Chipper interface {
	Chips(ses *Session) []Chip
}

// Entrance is a room that people enter from the first page.
type Entrance interface {
	Entries(ses *Session) []Entry
}

// Speaker is a room that brings texts of other packages beside its own.
type Speaker interface {
	Catalogues() []words.Catalogue
}

// Entry is one way into a room.
type Entry struct {
	Href  string
	Icon  string
	Title string
	Hint  string
	Key   string // the shortcut: one letter or digit; empty: none
	Tile  bool   // what customers come for; the others stand in a smaller list
}

// Guest is a room that lets browsers in without a session, such as a customer's
// screen.
type Guest interface {
	// Knows tells whether the room has let the request's browser in.
	Knows(r *http.Request) bool
}

// Config sets up a Kit. Name and Logger are required.
type Config struct {
	// Name is the host name that the pages are served under (shared/localname).
	Name string
	// Idle is how long an unlocked screen stays unlocked without a touch;
	// default 5 minutes.
	Idle time.Duration
	// KeepLanguage keeps the language that an operator chose; nil: it lasts as
	// long as the session and the browser's cookie.
	KeepLanguage func(ctx context.Context, operator, language string) error
	// Stands tells whether an operator works here still, with this name and role;
	// the session of one who does not is locked at the next request. nil: all do.
	Stands func(edge.Operator) bool
	// CheckPIN checks a PIN that an owner types again (Confirmed); nil: none is
	// right.
	CheckPIN CheckPIN
	// Catalogues are texts beside those of the rooms.
	Catalogues []words.Catalogue

	// Rand makes sessions and tokens; default crypto/rand.
	Rand   io.Reader
	Logger *slog.Logger
}

// DefaultIdle is how long a shopkeeper may turn to a shelf without locking up.
const DefaultIdle = 5 * time.Minute

// Handler is a page or a step of a room; ses is the unlocked session.
type Handler func(w http.ResponseWriter, r *http.Request, ses *Session)

// Kit is what pages are made with. Its methods may be called from many
// goroutines. Its Handler may be used without Run, for a server of the caller's
// own; then Close ends its event streams.
type Kit struct {
	counter  Counter
	cfg      Config
	rooms    []Room
	book     *words.Book
	pages    *pages
	static   *static
	sessions *sessions
	mux      *http.ServeMux
	log      *slog.Logger

	// A place for each event stream: of browsers that were let in, and of the others.
	streams, strangers chan struct{}

	bells   *bells
	closing chan struct{} // closed when Run ends: event streams end
	close   func()
}

// New makes the kit with all its rooms. An error means that a dependency is
// missing, or names what two rooms both bring or a file that is broken.
func New(counter Counter, cfg Config, rooms ...Room) (*Kit, error) {
	if counter == nil || cfg.Logger == nil || !localname.Valid(cfg.Name) {
		return nil, errors.New("the kit needs a counter, a logger and the local name that it serves under")
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Idle == 0 {
		cfg.Idle = DefaultIdle
	}
	k := &Kit{
		counter: counter, cfg: cfg, log: cfg.Logger, rooms: rooms, mux: http.NewServeMux(), bells: newBells(),
		streams: make(chan struct{}, maxStreams), strangers: make(chan struct{}, maxStrangers), closing: make(chan struct{}),
	}
	k.close = sync.OnceFunc(func() { close(k.closing) })
	parts := []part{{"web", own}, {"look", look.Files()}}
	catalogues := append([]words.Catalogue{{Room: "web", Files: own}}, cfg.Catalogues...)
	for _, r := range rooms {
		parts = append(parts, part{r.Name(), r.Files()})
		if _, err := fs.Stat(r.Files(), "messages"); err == nil {
			catalogues = append(catalogues, words.Catalogue{Room: r.Name(), Files: r.Files()})
		}
		if s, ok := r.(Speaker); ok {
			catalogues = append(catalogues, s.Catalogues()...)
		}
	}
	var err error
	if k.book, err = words.Load(catalogues...); err != nil {
		return nil, err
	}
	if k.static, err = loadStatic(parts); err != nil {
		return nil, err
	}
	if k.pages, err = loadPages(parts, k.static, k.book); err != nil {
		return nil, err
	}
	if k.sessions, err = newSessions(cfg.Rand, cfg.Idle, cfg.Stands); err != nil {
		return nil, err
	}
	k.sessions.ring = k.bells.ring
	k.register()
	return k, nil
}

// part is the files of one room.
type part struct {
	name  string
	files fs.FS
}

func (k *Kit) register() {
	k.mux.HandleFunc("GET /static/{stamp}/{name}", k.static.serve)
	k.mux.HandleFunc("GET /healthz", healthy)
	k.mux.HandleFunc("GET /live", k.live)
	k.mux.HandleFunc("POST /language", k.chooseLanguage)
	k.mux.HandleFunc("POST /lock", k.Post(k.lock))
	k.mux.HandleFunc("GET /settings", k.Get(k.settings))
	k.mux.HandleFunc("POST /settings", k.Post(k.keepSettings))
	k.mux.HandleFunc("POST /awake", k.Post(awake))
	k.mux.HandleFunc("GET /confirm", k.Get(k.confirmStart))
	k.mux.HandleFunc("POST /confirm", k.Post(k.confirm))
	k.mux.HandleFunc(nowherePattern, k.Get(k.Nowhere))
	for _, r := range k.rooms {
		r.Register(k.mux, k)
	}
}

const nowherePattern = "GET /"

// Handler gives the whole UI with its guards.
func (k *Kit) Handler() http.Handler { return k.guard(k.mux) }

// Entries gives the ways into the rooms, in the order of the rooms.
func (k *Kit) Entries(ses *Session) []Entry {
	var out []Entry
	for _, r := range k.rooms {
		if e, ok := r.(Entrance); ok {
			out = append(out, e.Entries(ses)...)
		}
	}
	return out
}

// Book gives the texts of all rooms.
func (k *Kit) Book() *words.Book { return k.book }

// Weight is the size of all scripts, styles and pictures that pages may load,
// in bytes.
func (k *Kit) Weight() int { return k.static.weight() }

// Close ends the event streams. Run does it too.
func (k *Kit) Close() { k.close() }

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
func (k *Kit) Run(ctx context.Context, l net.Listener) error {
	if !loopback(l.Addr()) {
		_ = l.Close()
		return fmt.Errorf("the counter's screen listens on %s, which other machines can reach; give it a loopback address such as 127.0.0.1", l.Addr())
	}
	var conns sync.WaitGroup
	srv := &http.Server{
		Handler: k.Handler(), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(k.log.Handler(), slog.LevelDebug),
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
	k.close()
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
