package ui

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
	"slices"
	"strings"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/speech"
	"galla/shared/localname"
	"galla/shared/op"
	"galla/shared/theme"
	"galla/shared/webguard"
)

//go:embed templates static messages icons
var kitFiles embed.FS

// Counter is what the kit needs of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Subscribe returns a channel that receives when anything on a page may have changed, and
	// a function that ends the subscription.
	Subscribe() (<-chan struct{}, func())
	// Revision grows with each change that Subscribe tells of, after the change and before
	// its channels receive.
	Revision() uint64
	// MarkPaymentsShown stores that people at the counter have seen payments by UPI, of
	// Status.Unshown.
	MarkPaymentsShown(ids []op.ID) error
	// ClaimAnnouncement returns the payments whose sound is due, oldest first, each once.
	ClaimAnnouncement() []edge.Record
}

// Section is a group of pages.
type Section interface {
	// Contents describes the section. New calls it once; the kit serves when all sections
	// are in.
	Contents(kit *Kit) Contents
}

// Contents are a section's pages, and what it adds to others. Name is required.
type Contents struct {
	Name  string // the first part of its pages' names
	Files fs.FS  // templates, static, icons and messages, each if needed
	// Pages are the handlers by pattern: GET is for sessions, POST for forms of sessions.
	Pages map[string]Handler
	// Open are pages without a session.
	Open map[string]http.HandlerFunc

	Menu       []MenuItem                // its items on the first page
	Chips      func(ses *Session) []Chip // its chips in the status bar of every page
	Catalogues []i18n.Catalogue          // texts of other packages
	// SignIn starts the day's authentication of the session's user, if it is due. It returns
	// the page that goes on with it, and then leads to next; empty: the page is next.
	SignIn  func(ses *Session, next string) (page string)
	IsGuest func(r *http.Request) bool // whether it admitted a browser without a session, such as a customer's screen
}

// MenuItem is a link on the first page.
type MenuItem struct {
	Href  string
	Icon  string
	Title string // in Contents the key of the text
	Hint  string // in Contents the key of the text
	Key   string // the shortcut: one letter or digit; empty: none
	Tile  bool   // a large tile; the others are in a smaller list
	Owner bool   // for owners only

	Note func(w *i18n.Localizer) string // adds to the title; nil: nothing
}

// Config sets up a Kit. Name and Logger are required.
type Config struct {
	// Name is the host name that the pages are served under (shared/localname).
	Name string
	// Idle is how long the counter stays unlocked without activity; default 5 minutes.
	Idle time.Duration
	// SaveLanguage stores the language that a user chose; nil: it lasts as long as the session
	// and the browser's cookie.
	SaveLanguage func(ctx context.Context, operator, language string) error
	// UserActive reports whether the user is still enabled, with this name and role; otherwise
	// the session is locked at its next request. nil: always.
	UserActive func(edge.User) bool
	// CheckPIN checks the PIN that an owner types again (OwnerConfirmed); nil: no PIN is
	// right.
	CheckPIN CheckPIN
	// Catalogues are texts in addition to those of the sections.
	Catalogues []i18n.Catalogue
	// Say speaks a text in a language; nil: payments have a chime, and the browser's voice.
	// Error: speech.ErrNone where nothing here speaks the language.
	Say func(ctx context.Context, language, text string) (speech.Clip, error)
	// Sound keeps how payments are announced; nil: the choice lasts as long as the program.
	Sound SoundStore

	// Rand makes sessions and tokens; default crypto/rand.
	Rand   io.Reader
	Logger *slog.Logger
}

// DefaultIdle is long enough to serve a customer at the shelves.
const DefaultIdle = 5 * time.Minute

// Handler is a page or a form's handler in a session.
type Handler func(w http.ResponseWriter, r *http.Request, ses *Session)

// Kit makes pages. Its methods are safe for concurrent use. Its Handler may be used
// without Run, in a server of the caller; then Close ends the event streams.
type Kit struct {
	counter   Counter
	cfg       Config
	sections  []Contents
	book      *i18n.Bundle
	templates *templateSet
	static    *webguard.Static
	sessions  *sessionStore
	mux       *http.ServeMux
	log       *slog.Logger

	// Slots of the event streams: of admitted browsers, and of all others.
	streams, anonymous chan struct{}

	sounds soundFiles

	notifier *notifier
	start    string        // names this start of the program in revisions
	closing  chan struct{} // closed when Run ends
	close    func()
}

// New makes the kit with all its sections. An error means that a dependency is missing,
// that two sections bring the same name, or that a file is broken.
func New(counter Counter, cfg Config, sections ...Section) (*Kit, error) {
	if counter == nil || cfg.Logger == nil || !localname.Valid(cfg.Name) {
		return nil, errors.New("the kit needs a counter, a logger and its host name")
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Idle == 0 {
		cfg.Idle = DefaultIdle
	}
	if cfg.Sound == nil {
		cfg.Sound = &volatileSound{}
	}
	k := &Kit{
		counter: counter, cfg: cfg, log: cfg.Logger, mux: http.NewServeMux(), notifier: newNotifier(), sounds: newSoundFiles(),
		streams: make(chan struct{}, maxStreams), anonymous: make(chan struct{}, maxAnonymousStreams), closing: make(chan struct{}),
	}
	k.close = sync.OnceFunc(func() { close(k.closing) })
	k.sections = []Contents{{Name: "ui", Files: kitFiles}, {Name: "theme", Files: theme.Files()}}
	for _, section := range sections {
		k.sections = append(k.sections, section.Contents(k))
	}
	var static []fs.FS
	catalogues := slices.Clone(cfg.Catalogues)
	for i, c := range k.sections {
		if c.Files == nil {
			c.Files = embed.FS{}
			k.sections[i].Files = c.Files
		}
		static = append(static, c.Files)
		if _, err := fs.Stat(c.Files, "messages"); err == nil {
			catalogues = append(catalogues, i18n.Catalogue{Owner: c.Name, Files: c.Files})
		}
		catalogues = append(catalogues, c.Catalogues...)
	}
	var err error
	if k.book, err = i18n.Load(catalogues...); err != nil {
		return nil, err
	}
	if k.static, err = webguard.NewStatic("/static/", static...); err != nil {
		return nil, err
	}
	if err = k.bundle(); err != nil {
		return nil, err
	}
	if k.templates, err = loadTemplates(k.sections, k.static, k.book); err != nil {
		return nil, err
	}
	if k.sessions, err = newSessions(cfg.Rand, cfg.Idle, cfg.UserActive); err != nil {
		return nil, err
	}
	if k.start, err = k.sessions.newToken(); err != nil {
		return nil, err
	}
	k.sessions.onLock = k.notifier.notify
	k.registerRoutes()
	return k, nil
}

// bundle joins the styles and the modules of all sections: with the same two files, any
// page can take another's place in the browser (visit.js).
func (k *Kit) bundle() error {
	styles, scripts := append(theme.Stylesheets(), "strips.css", "bar.css"), []string{"kit.js"}
	for _, section := range k.sections {
		if own := section.Name + ".css"; k.static.Has(own) {
			styles = append(styles, own)
		}
		if own := section.Name + ".js"; k.static.Has(own) {
			scripts = append(scripts, own)
		}
	}
	styles = append(styles, "paper.css")
	return errors.Join(k.static.Bundle("page.css", styles...), k.static.Bundle("page.js", scripts...))
}

func (k *Kit) registerRoutes() {
	k.mux.Handle(k.static.Pattern(), k.static)
	k.mux.HandleFunc("GET /healthz", serveHealth)
	k.mux.HandleFunc("GET /events", k.serveEvents)
	k.mux.HandleFunc("POST /language", k.chooseLanguage)
	k.mux.HandleFunc("POST /lock", k.Post(k.lock))
	k.mux.HandleFunc("GET /settings", k.Get(Show(k.renderSettings)))
	k.mux.HandleFunc("POST /settings", k.Post(k.saveSettings))
	k.mux.HandleFunc("POST /payments/shown", k.Post(k.dismissPayments))
	k.mux.HandleFunc("POST /payments/announce", k.announcePayments)
	k.mux.HandleFunc("GET /payments/sound/{name}", k.serveSound)
	k.mux.HandleFunc("POST /keep-alive", k.Post(keepAlive))
	k.mux.HandleFunc("GET /confirm", k.Get(k.redirectFromConfirm))
	k.mux.HandleFunc("POST /confirm", k.Post(k.confirmPIN))
	k.mux.HandleFunc(notFoundPattern, k.Get(k.NotFound))
	for _, section := range k.sections {
		for pattern, handler := range section.Open {
			k.mux.HandleFunc(pattern, handler)
		}
		for pattern, handler := range section.Pages {
			if strings.HasPrefix(pattern, http.MethodPost+" ") {
				k.mux.HandleFunc(pattern, k.Post(handler))
			} else {
				k.mux.HandleFunc(pattern, k.Get(handler))
			}
		}
	}
}

const notFoundPattern = "GET /"

// Handler returns the whole UI with its request checks.
func (k *Kit) Handler() http.Handler { return k.guard(k.withRevision(k.mux)) }

// MenuItems returns a session's menu items in the order of the sections.
func (k *Kit) MenuItems(ses *Session) []MenuItem {
	var out []MenuItem
	words := ses.Words()
	for _, section := range k.sections {
		for _, item := range section.Menu {
			if item.Owner && ses.Operator.Role != edge.RoleOwner {
				continue
			}
			item.Title, item.Hint = words.Text(item.Title), words.Text(item.Hint)
			if item.Note != nil {
				item.Title += item.Note(words)
			}
			out = append(out, item)
		}
	}
	return out
}

// Places returns the menu items of a session that are no tiles, the settings last.
func (k *Kit) Places(ses *Session) []MenuItem {
	items := slices.DeleteFunc(k.MenuItems(ses), func(item MenuItem) bool { return item.Tile })
	return append(items, k.settingsMenuItem(ses))
}

// OffersSignIn reports whether the unlock may go on with the day's authentication: it is
// due, and nothing is in its way.
func (k *Kit) OffersSignIn() bool {
	st := k.counter.Status()
	return !st.Session.Active && st.Link.Online && st.Reader.Status == "READY" && slices.ContainsFunc(k.sections, func(c Contents) bool { return c.SignIn != nil })
}

// SignIn starts the day's authentication of the session's user, if it is due, and returns
// the page to open: that, or else next.
func (k *Kit) SignIn(ses *Session, next string) string {
	for _, section := range k.sections {
		if section.SignIn == nil {
			continue
		}
		if page := section.SignIn(ses, next); page != "" {
			return page
		}
	}
	return next
}

// Book returns the texts of all sections.
func (k *Kit) Book() *i18n.Bundle { return k.book }

// Close ends the event streams. Run does it too.
func (k *Kit) Close() { k.close() }

// serveHealth answers health checks, without any data.
func serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "alive\n")
}

// Limits of the server: it has one user with a few tabs on the same machine, so all times
// are short. Event streams have their own.
const (
	readTimeout     = 10 * time.Second
	writeTimeout    = 30 * time.Second // includes the PIN's slow hash and a slow disk
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second // for running requests when the program ends
	maxHeader       = 16 << 10        // bytes
)

// Run serves on a loopback listener until ctx ends, and closes it. Call it once. It
// returns when every request has ended.
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
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if srv.Shutdown(end) != nil {
		_ = srv.Close() // aborts requests that take longer
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

// loopback reports whether an address is reachable from this machine only.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
