// Package offer serves the releases of the counter's program to the counters: a
// TUF repository in a folder, as the publisher has copied it there.
//
// It promises to give nothing but the files that a repository has, by their names
// alone: no listing, no other path, no link that leads out of the folder, nothing
// larger than a repository's files may be. It knows no keys and judges no file: the
// counters do, so whoever takes the central over can't bring a program to a
// counter. Downloads are bounded in number, in time, and in how long a peer may
// take for a piece; more are told when to come back. They can be gone on with where
// they broke off (Range).
//
// Requests come in by Handler, which stands below Path beside the uplink; files are
// read at each request, so a folder that was copied anew is served at once.
package offer

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

// Path is where releases are offered; a folder's file stands below it.
const Path = "/updates/"

// Config sets up an Offer. Zero numbers take the defaults.
type Config struct {
	// Folder is the repository. It may be empty, or missing: then there is nothing.
	Folder string
	// Downloads is how many programs are sent at one time; default 64, which is
	// what a line of 100 Mbit/s can give a speed that is worth waiting for.
	Downloads int
	// Each is how many of them one address may have; default a quarter. Shops may
	// share an address; whoever takes one place after the other and reads slowly
	// leaves the others three quarters.
	Each int
	// Shared are networks of proxies, which come for all: Each does not hold for them.
	Shared []netip.Prefix
	// Stall is how long a peer may take for a piece of 32 KiB; default 1 minute.
	Stall time.Duration
	// Longest is how long one answer may take; default 2 hours. What is missing
	// then is asked for by the next request.
	Longest time.Duration

	Rand   io.Reader // spreads those who are told to come back
	Logger *slog.Logger
}

// Bounds of files, in bytes. They are those that counters hold metadata and
// programs to.
const (
	maxMetadata = 4 << 20
	maxProgram  = 256 << 20
)

// Names of a repository's files.
var (
	metadataFile = regexp.MustCompile(`^[1-9][0-9]{0,17}\.(root|targets|snapshot)\.json$`)
	programFile  = regexp.MustCompile(`^targets/[0-9a-f]{64}\.[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
)

// timestampFile is the only file that changes under its name.
const timestampFile = "timestamp.json"

// How long those who find all places taken stay away: between these, each a time
// of its own.
const (
	minRetry = 30 * time.Second
	maxRetry = 5 * time.Minute
)

// Offer serves a repository.
type Offer struct {
	cfg    Config
	places chan struct{}

	mu   sync.Mutex
	have map[netip.Addr]int // places, by address
}

// New makes an offer.
func New(cfg Config) (*Offer, error) {
	if cfg.Folder == "" || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the offer of releases needs a folder, randomness and a logger")
	}
	if cfg.Downloads == 0 {
		cfg.Downloads = 64
	}
	if cfg.Each == 0 {
		cfg.Each = max(1, cfg.Downloads/4)
	}
	if cfg.Stall == 0 {
		cfg.Stall = time.Minute
	}
	if cfg.Longest == 0 {
		cfg.Longest = 2 * time.Hour
	}
	if cfg.Downloads < 0 || cfg.Each < 0 || cfg.Stall < 0 || cfg.Longest < 0 {
		return nil, errors.New("the offer of releases: number and times of downloads must be positive")
	}
	return &Offer{cfg: cfg, places: make(chan struct{}, cfg.Downloads), have: map[netip.Addr]int{}}, nil
}

// ServeHTTP implements http.Handler for everything below Path.
func (o *Offer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "releases are fetched with GET", http.StatusMethodNotAllowed)
		return
	}
	// The path as it was sent: what would have to be cleaned is no name.
	name, below := strings.CutPrefix(r.URL.EscapedPath(), Path)
	program := programFile.MatchString(name)
	if !below || !program && name != timestampFile && !metadataFile.MatchString(name) {
		http.NotFound(w, r)
		return
	}
	if program {
		leave, ok := o.enter(r.RemoteAddr)
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(o.later().Seconds())))
			http.Error(w, "too many counters fetch a release at this moment; come back later", http.StatusServiceUnavailable)
			return
		}
		defer leave()
	}
	f, info, err := o.open(name, program)
	if errors.Is(err, fs.ErrNotExist) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		o.cfg.Logger.Error("a file of the releases can't be served", "file", name, "error", err)
		http.Error(w, "the releases can't be read at this moment", http.StatusInternalServerError)
		return
	}
	defer func() { _ = f.Close() }()
	o.send(w, r, name, f, info)
}

// enter takes a place for a peer; leave gives it back.
func (o *Offer) enter(peer string) (leave func(), ok bool) {
	var from netip.Addr
	if at, err := netip.ParseAddrPort(peer); err == nil {
		from = at.Addr().Unmap().WithZone("")
	}
	shared := slices.ContainsFunc(o.cfg.Shared, func(n netip.Prefix) bool { return n.Contains(from) })
	if from.Is6() { // one machine has as many addresses as its network
		within, _ := from.Prefix(64) // an address of IPv6 has 128 bits
		from = within.Addr()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !shared && o.have[from] >= o.cfg.Each {
		return nil, false
	}
	select {
	case o.places <- struct{}{}:
	default:
		return nil, false
	}
	o.have[from]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.have[from]--; o.have[from] == 0 {
			delete(o.have, from)
		}
		<-o.places
	}, true
}

// open opens a file of the repository; os.Root keeps links inside of it.
func (o *Offer) open(name string, program bool) (*os.File, fs.FileInfo, error) {
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
	most := int64(maxMetadata)
	if program {
		most = maxProgram
	}
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fs.ErrNotExist
	case info.Size() > most:
		err = fmt.Errorf("it has %d bytes, want at most %d", info.Size(), most)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// send sends a file, at the peer's pace.
func (o *Offer) send(w http.ResponseWriter, r *http.Request, name string, f *os.File, info fs.FileInfo) {
	h := w.Header()
	switch {
	case name == timestampFile:
		h.Set("Cache-Control", "no-cache") // it may be kept, and is asked for each time
	default:
		h.Set("Cache-Control", "public, max-age=31536000, immutable") // its name is its version or its hash
	}
	h.Set("Content-Type", "application/octet-stream")
	if path.Ext(name) == ".json" {
		h.Set("Content-Type", "application/json")
	}
	if hash, _, ok := strings.Cut(strings.TrimPrefix(name, "targets/"), "."); ok && len(hash) == 64 {
		h.Set("ETag", `"`+hash+`"`)
	}
	out := &paced{ResponseWriter: w, control: http.NewResponseController(w), stall: o.cfg.Stall, end: time.Now().Add(o.cfg.Longest)}
	http.ServeContent(out, r, "", info.ModTime(), f)
}

// later is a time of its own for each who is told to come back.
func (o *Offer) later() time.Duration {
	var b [4]byte
	if _, err := io.ReadFull(o.cfg.Rand, b[:]); err != nil {
		return maxRetry
	}
	return minRetry + time.Duration(binary.LittleEndian.Uint32(b[:]))%(maxRetry-minRetry)
}

// paced gives a peer some time for each piece, and some for all of them; the
// server's own bound is for small answers. It has no ReadFrom, by which a file
// would go out as one piece.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	end     time.Time
}

func (p *paced) Write(b []byte) (int, error) {
	until := time.Now().Add(p.stall)
	if until.After(p.end) {
		until = p.end
	}
	if err := p.control.SetWriteDeadline(until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}
