package updates

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const program = "targets/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.galla-edge-1.0.0-linux-amd64"

// serve serves a folder with a repository's files, and other files.
func serve(t *testing.T, alter func(*Config)) (base, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "repo")
	for name, text := range map[string]string{
		"timestamp.json": "t", "1.root.json": "r", "2.targets.json": "l", "12.snapshot.json": "s", program: strings.Repeat("p", 300_000),
		"root-1.key": "private", ".new-123": "half", "targets/.new-123": "half", "../outside.json": "secret", "sub/timestamp.json": "x", "notes.json": "x",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := Config{Folder: folder, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	if alter != nil {
		alter(&cfg)
	}
	o, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.HandlerFunc(o.ServeHTTP)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, folder
}

// raw sends a request unchanged; a client would clean its path.
func raw(t *testing.T, base, request string) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, request+" HTTP/1.1\r\nHost: central\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil)
	if err != nil {
		t.Fatalf("%s: %v in %q", request, err, text)
	}
	return resp
}

// The repository's files are served by their exact names, and nothing else.
func TestNames(t *testing.T) {
	base, folder := serve(t, nil)
	for name, target := range map[string]string{"3.root.json": "../outside.json", "4.root.json": "notes.json", "5.root.json": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "6.root.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"timestamp.json": 200, "1.root.json": 200, "2.targets.json": 200, "12.snapshot.json": 200, program: 200,
		"": 404, "targets/": 404, "targets": 404, "2.root.json": 404, "root-1.key": 404, "notes.json": 404, ".new-123": 404, "targets/.new-123": 404,
		"sub/timestamp.json": 404, "../outside.json": 404, "targets/../root-1.key": 404, "targets/..%2froot-1.key": 404, "%2e%2e/outside.json": 404,
		"timestamp.json/": 404, "./timestamp.json": 404, "targets//" + strings.TrimPrefix(program, "targets/"): 404, "01.root.json": 404, "timestamp.json%00": 404,
		"3.root.json": 500, // a link out of the folder: the log says so
		"4.root.json": 200, // one that does not
		"5.root.json": 500, "6.root.json": 404,
	} {
		if got := raw(t, base, "GET "+Path+path); got.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, got.Status, want)
		}
	}
	for request, want := range map[string]int{"HEAD " + Path + "timestamp.json": 200, "POST " + Path + "timestamp.json": 405, "PUT " + Path + "x": 405, "GET /": 404, "GET /updates": 404, "GET /other/timestamp.json": 404} {
		if got := raw(t, base, request); got.StatusCode != want {
			t.Errorf("%s: %s, want %d", request, got.Status, want)
		}
	}
	if got := raw(t, base, "GET "+Path+"3.root.json"); got.StatusCode != 500 || strings.Contains(body(t, got), "outside") {
		t.Error("a failure shows what is on the disk")
	}
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A download can be continued; immutable files may be cached for ever, and the timestamp
// is revalidated.
func TestRangesAndCaches(t *testing.T) {
	base, folder := serve(t, nil)
	get := func(name string, header ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+Path+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp
	}
	if r := get(program, "Range", "bytes=299990-"); r.StatusCode != http.StatusPartialContent || r.Header.Get("Content-Range") != "bytes 299990-299999/300000" || body(t, r) != "pppppppppp" {
		t.Errorf("%s, %s", r.Status, r.Header.Get("Content-Range"))
	}
	whole := get(program)
	if len(body(t, whole)) != 300_000 || !strings.Contains(whole.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", whole.Header)
	}
	if r := get(program, "If-None-Match", whole.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
		t.Errorf("%s for a tag of its own, %q", r.Status, whole.Header.Get("ETag"))
	}
	if r := get("timestamp.json"); r.Header.Get("Cache-Control") != "no-cache" || r.Header.Get("Content-Type") != "application/json" || body(t, r) != "t" {
		t.Errorf("%v", r.Header)
	}
	// A new copy is served at once, also a new folder.
	if err := os.Rename(folder, folder+".old"); err != nil {
		t.Fatal(err)
	}
	if r := get("timestamp.json"); r.StatusCode != http.StatusNotFound {
		t.Errorf("no folder: %s", r.Status)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "timestamp.json"), []byte("t2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := body(t, get("timestamp.json")); got != "t2" {
		t.Error(got)
	}
}

// Files beyond a repository's sizes are not sent.
func TestSizes(t *testing.T) {
	base, folder := serve(t, nil)
	if err := os.Truncate(filepath.Join(folder, "timestamp.json"), maxMetadata+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(folder, program), maxProgram+1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"timestamp.json", program} {
		if got := raw(t, base, "GET "+Path+name); got.StatusCode != http.StatusInternalServerError {
			t.Errorf("%s: %s", name, got.Status)
		}
	}
}

// idle opens downloads that read a little and then nothing.
func idle(t *testing.T, base, folder string, n int) (conns []net.Conn) {
	t.Helper()
	if err := os.Truncate(filepath.Join(folder, program), 64<<20); err != nil { // more than sockets hold
		t.Fatal(err)
	}
	for range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, "GET "+Path+program+" HTTP/1.1\r\nHost: central\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	return conns
}

// Downloads are bounded; the next one gets Retry-After, and metadata is still served. A
// released slot is used again.
func TestPlaces(t *testing.T) {
	base, folder := serve(t, func(c *Config) { c.Downloads, c.PerAddress = 2, 2 })
	conns := idle(t, base, folder, 2)
	if r := raw(t, base, "HEAD "+Path+program); r.StatusCode != http.StatusServiceUnavailable || len(r.Header.Get("Retry-After")) < 2 {
		t.Errorf("%s, %q", r.Status, r.Header.Get("Retry-After"))
	}
	if r := raw(t, base, "GET "+Path+"timestamp.json"); r.StatusCode != http.StatusOK {
		t.Errorf("metadata: %s", r.Status)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	comesBack(t, base)
}

// One address has its share of the slots, however slowly it reads; a proxy has no bound.
func TestOneAddress(t *testing.T) {
	base, folder := serve(t, func(c *Config) { c.Downloads = 8 })
	idle(t, base, folder, 2)
	if r := raw(t, base, "HEAD "+Path+program); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third place of one address: %s", r.Status)
	}
	o, err := New(Config{Folder: folder, Downloads: 8, Proxies: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var back []func()
	for _, c := range []struct {
		peer string
		want bool
	}{
		{"192.0.2.1:1", true}, {"[::ffff:192.0.2.1]:2", true}, {"192.0.2.1:3", false}, {"[2001:db8::1]:1", true}, {"[2001:db8::2]:1", true}, {"[2001:db8::3]:1", false},
		{"10.1.0.1:1", true}, {"10.1.0.1:2", true}, {"10.1.0.1:3", true}, {"192.0.2.9:1", true}, {"192.0.2.10:1", false},
	} {
		leave, ok := o.acquireSlot(c.peer)
		if ok != c.want {
			t.Errorf("%s: %v", c.peer, ok)
		}
		if ok {
			back = append(back, leave)
		}
	}
	for _, leave := range back {
		leave()
	}
	if len(o.perAddress) != 0 || len(o.slots) != 0 {
		t.Errorf("not given back: %v, %d", o.perAddress, len(o.slots))
	}
}

// A peer that reads nothing loses its slot.
func TestStalled(t *testing.T) {
	base, folder := serve(t, func(c *Config) { c.Downloads, c.PerAddress, c.Stall = 2, 2, 200*time.Millisecond })
	idle(t, base, folder, 2)
	comesBack(t, base)
}

// A download is bounded in time.
func TestLongest(t *testing.T) {
	base, folder := serve(t, func(c *Config) { c.Downloads, c.Timeout = 1, 200*time.Millisecond })
	c := idle(t, base, folder, 1)[0]
	n, err := io.Copy(io.Discard, slowly{c})
	if err != nil && !strings.Contains(err.Error(), "reset") || n >= 64<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	comesBack(t, base)
}

// slowly reads a piece every now and then.
type slowly struct{ io.Reader }

func (s slowly) Read(p []byte) (int, error) {
	<-time.After(2 * time.Millisecond)
	return s.Reader.Read(p[:min(len(p), 16<<10)])
}

// comesBack waits until a slot is free.
func comesBack(t *testing.T, base string) {
	t.Helper()
	for range 600 {
		if r := raw(t, base, "HEAD "+Path+program); r.StatusCode == http.StatusOK {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Error("the slots are not released")
}

func TestNewRefuses(t *testing.T) {
	good := Config{Folder: t.TempDir(), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	for name, alter := range map[string]func(c *Config){
		"no folder": func(c *Config) { c.Folder = "" }, "no logger": func(c *Config) { c.Logger = nil },
		"no randomness": func(c *Config) { c.Rand = nil }, "a number below none": func(c *Config) { c.Downloads = -1 },
	} {
		cfg := good
		alter(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	o, err := New(good)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if d := o.retryAfter(); d < minRetry || d >= maxRetry {
			t.Fatal(d)
		}
	}
}

// FuzzPath: every response is a file of the repository.
func FuzzPath(f *testing.F) {
	folder := filepath.Join(f.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(folder, "targets"), 0o700); err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"timestamp.json", "key", "../secret", "targets/x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	o, err := New(Config{Folder: folder, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("timestamp.json")
	f.Add("../secret")
	f.Add("targets/%2e%2e/key")
	f.Fuzz(func(t *testing.T, path string) {
		r, err := http.NewRequest(http.MethodGet, "http://central"+Path+path, nil)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		if w.Code == http.StatusOK && w.Body.String() != "timestamp.json" {
			t.Fatalf("%q gave %q", path, w.Body.String())
		}
	})
}
