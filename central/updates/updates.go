// Package updates serves the releases of the counter's program to counters: a TUF
// repository in a folder, as the publisher has copied it there.
//
// It serves only files that a repository has, by their exact names: no listing, no other
// path, no link out of the folder, and nothing larger than a repository's files may be. It
// has no keys and verifies no file: the counters do, so a compromised central can't
// install a program on a counter. Downloads are bounded in number, in time, and in the
// time for a piece; further ones get 503 with Retry-After. An interrupted download can be
// continued (Range).
//
// Requests enter by Server, below Path at the uplink's address. Files are read at each
// request, so a newly copied folder is served at once.
package updates

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Path is the URL path of the repository; its files are below it.
const Path = "/updates/"

// Config configures a Server. Zero numbers mean the defaults.
type Config struct {
	// Folder is the repository. If it is empty or missing, no release is offered.
	Folder string
	// Downloads bounds the concurrent downloads of programs; default 64, to which a
	// connection of 100 Mbit/s gives a usable speed.
	Downloads int
	// PerAddress bounds the downloads of one address; default a quarter. Shops may share
	// an address, and a slow reader leaves three quarters to others.
	PerAddress int
	// Proxies are networks of proxies, to which PerAddress does not apply.
	Proxies []netip.Prefix
	// Stall bounds the time for a piece of 32 KiB; default 1 minute.
	Stall time.Duration
	// Timeout bounds one response; default 2 hours. The next request continues it.
	Timeout time.Duration

	Rand   io.Reader // for Retry-After
	Logger *slog.Logger
}

// Bounds of files, in bytes. Counters have the same bounds for metadata and programs.
const (
	maxMetadata = 4 << 20
	maxProgram  = 256 << 20
)

// Names of a repository's files.
var (
	metadataFile = regexp.MustCompile(`^[1-9][0-9]{0,17}\.(root|targets|snapshot)\.json$`)
	programFile  = regexp.MustCompile(`^targets/[0-9a-f]{64}\.[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
)

// timestampFile is the only file whose content changes.
const timestampFile = "timestamp.json"

// Bounds of Retry-After when all downloads are in use. Each response has a random one.
const (
	minRetry = 30 * time.Second
	maxRetry = 5 * time.Minute
)

// Server serves a repository.
type Server struct {
	cfg   Config
	slots chan struct{}

	mu         sync.Mutex
	perAddress map[netip.Addr]int // slots, by address
}

// New returns a Server.
func New(cfg Config) (*Server, error) {
	if cfg.Folder == "" || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("updates: a folder, a source of randomness and a logger are needed")
	}
	if cfg.Downloads == 0 {
		cfg.Downloads = 64
	}
	if cfg.PerAddress == 0 {
		cfg.PerAddress = max(1, cfg.Downloads/4)
	}
	if cfg.Stall == 0 {
		cfg.Stall = time.Minute
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 2 * time.Hour
	}
	if cfg.Downloads < 0 || cfg.PerAddress < 0 || cfg.Stall < 0 || cfg.Timeout < 0 {
		return nil, errors.New("updates: number and times of downloads must be positive")
	}
	return &Server{cfg: cfg, slots: make(chan struct{}, cfg.Downloads), perAddress: map[netip.Addr]int{}}, nil
}

// ServeHTTP implements http.Handler for everything below Path.
func (o *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "releases are fetched with GET", http.StatusMethodNotAllowed)
		return
	}
	// The path as it was sent: a path that needs cleaning is not a name.
	name, below := strings.CutPrefix(r.URL.EscapedPath(), Path)
	program := programFile.MatchString(name)
	if !below || !program && name != timestampFile && !metadataFile.MatchString(name) {
		http.NotFound(w, r)
		return
	}
	if program {
		release, ok := o.acquireSlot(r.RemoteAddr)
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(o.retryAfter().Seconds())))
			http.Error(w, "too many counters download a release now; try again later", http.StatusServiceUnavailable)
			return
		}
		defer release()
	}
	f, info, err := o.open(name, program)
	if errors.Is(err, fs.ErrNotExist) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		o.cfg.Logger.Error("a file of the releases can't be served", "file", name, "error", err)
		http.Error(w, "the releases can't be read now", http.StatusInternalServerError)
		return
	}
	defer func() { _ = f.Close() }()
	o.send(w, r, name, f, info)
}

// acquireSlot takes a download slot for a peer.
func (o *Server) acquireSlot(peer string) (release func(), ok bool) {
	var from netip.Addr
	if at, err := netip.ParseAddrPort(peer); err == nil {
		from = at.Addr().Unmap().WithZone("")
	}
	shared := slices.ContainsFunc(o.cfg.Proxies, func(n netip.Prefix) bool { return n.Contains(from) })
	if from.Is6() { // a machine may use all addresses of its network
		within, _ := from.Prefix(64) // never fails: an IPv6 address has 128 bits
		from = within.Addr()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !shared && o.perAddress[from] >= o.cfg.PerAddress {
		return nil, false
	}
	select {
	case o.slots <- struct{}{}:
	default:
		return nil, false
	}
	o.perAddress[from]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.perAddress[from]--; o.perAddress[from] == 0 {
			delete(o.perAddress, from)
		}
		<-o.slots
	}, true
}

// open opens a file of the repository; os.Root refuses links out of it.
func (o *Server) open(name string, program bool) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(o.cfg.Folder)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	limit := int64(maxMetadata)
	if program {
		limit = maxProgram
	}
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fs.ErrNotExist
	case info.Size() > limit:
		err = fmt.Errorf("it has %d bytes, want at most %d", info.Size(), limit)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// send sends a file.
func (o *Server) send(w http.ResponseWriter, r *http.Request, name string, f *os.File, info fs.FileInfo) {
	h := w.Header()
	switch {
	case name == timestampFile:
		h.Set("Cache-Control", "no-cache") // caches must revalidate it
	default:
		h.Set("Cache-Control", "public, max-age=31536000, immutable") // its name has its version or its hash
	}
	h.Set("Content-Type", "application/octet-stream")
	if path.Ext(name) == ".json" {
		h.Set("Content-Type", "application/json")
	}
	if hash, _, ok := strings.Cut(strings.TrimPrefix(name, "targets/"), "."); ok && len(hash) == 64 {
		h.Set("ETag", `"`+hash+`"`)
	}
	out := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w), stall: o.cfg.Stall, end: time.Now().Add(o.cfg.Timeout)}
	http.ServeContent(out, r, "", info.ModTime(), f)
}

// retryAfter returns a random time between minRetry and maxRetry.
func (o *Server) retryAfter() time.Duration {
	var b [4]byte
	if _, err := io.ReadFull(o.cfg.Rand, b[:]); err != nil {
		return maxRetry
	}
	return minRetry + time.Duration(binary.LittleEndian.Uint32(b[:]))%(maxRetry-minRetry)
}

// pacedWriter bounds the time for each piece and for all of them; the server's own bound is
// for small responses. It has no ReadFrom, so that a file is sent in pieces.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	end     time.Time
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	until := time.Now().Add(p.stall)
	if until.After(p.end) {
		until = p.end
	}
	if err := p.control.SetWriteDeadline(until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}
