package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"galla/central/s3"
)

const secretKey = "the-secret-of-the-bucket"

// credentials writes a file of credentials.
func credentials(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bucket.key")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// server is an S3 server with the bucket reports.
func server(t *testing.T) (*s3mem.Backend, string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("reports"); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s.Close)
	return backend, s.URL
}

func open(t *testing.T, url string) *s3.Bucket {
	t.Helper()
	b, err := s3.New(s3.Config{URL: url, Credentials: credentials(t, "galla\n"+secretKey+"\n")})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(b *s3.Bucket, name, content string) error {
	return b.Put(context.Background(), name, strings.NewReader(content), int64(len(content)), sha256.Sum256([]byte(content)))
}

// TestPut: an object is written once, with its sum, below the prefix.
func TestPut(t *testing.T) {
	backend, url := server(t)
	b := open(t, url+"/reports/of/galla/")
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sum(t.Context(), "commission/a.csv"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object that is not there: %v", err)
	}
	content := strings.Repeat("merchant,rupees\n", 100_000) // above a part of an upload in parts
	if err := put(b, "commission/a.csv", content); err != nil {
		t.Fatal(err)
	}
	if sum, err := b.Sum(t.Context(), "commission/a.csv"); err != nil || sum != sha256.Sum256([]byte(content)) {
		t.Errorf("its sum is %x, %v", sum, err)
	}
	object, err := backend.GetObject("reports", "of/galla/commission/a.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Contents.Close()
	if got, err := io.ReadAll(object.Contents); err != nil || string(got) != content || object.Metadata["Content-Type"] != "text/csv; charset=utf-8" {
		t.Errorf("%d bytes, %v, %v", len(got), object.Metadata, err)
	}
	for _, other := range []string{content, "another content"} {
		if err := put(b, "commission/a.csv", other); !errors.Is(err, fs.ErrExist) {
			t.Errorf("written again: %v", err)
		}
	}
}

// TestSumWithoutMetadata: the sum of an object that another program copied there is computed.
func TestSumWithoutMetadata(t *testing.T) {
	_, url := server(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/reports/a.csv", strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatal(reply, err)
	}
	_ = reply.Body.Close()
	if sum, err := open(t, url+"/reports").Sum(t.Context(), "a.csv"); err != nil || sum != sha256.Sum256([]byte("abc")) {
		t.Errorf("%x, %v", sum, err)
	}
}

// TestAtOnce: of several that write one name at one time, one succeeds, and its content stays.
// The server sees no object for any of them when they look, so the condition decides.
func TestAtOnce(t *testing.T) {
	_, url := server(t)
	b := open(t, url+"/reports")
	const writers = 8
	var wg sync.WaitGroup
	errs := make([]error, writers)
	var looked sync.WaitGroup
	looked.Add(writers)
	for i := range writers {
		wg.Go(func() {
			content := &waiting{Reader: bytes.NewReader(bytes.Repeat([]byte{byte('a' + i)}, 1000)), all: &looked}
			errs[i] = b.Put(t.Context(), "a.csv", content, 1000, sha256.Sum256([]byte{byte(i)}))
		})
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won++
			if sum, err := b.Sum(t.Context(), "a.csv"); err != nil || sum != sha256.Sum256([]byte{byte(i)}) {
				t.Errorf("another's content is there: %v", err)
			}
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers wrote the object", won)
	}
}

// waiting is a content that is read when all writers have looked for the object.
type waiting struct {
	*bytes.Reader
	all  *sync.WaitGroup
	once sync.Once
}

func (w *waiting) Seek(offset int64, whence int) (int64, error) {
	w.once.Do(func() {
		w.all.Done()
		w.all.Wait()
	})
	return w.Reader.Seek(offset, whence)
}

// TestFaults: errors say what happened and what to do, and none has the secret.
func TestFaults(t *testing.T) {
	_, url := server(t)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>`)
	}))
	t.Cleanup(refusing.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, test := range map[string]struct{ url, want string }{
		"no bucket":     {url + "/missing", "does not exist: create it"},
		"no server":     {closed.URL + "/reports", "can't be reached"},
		"wrong secrets": {refusing.URL + "/reports", "check their file"},
	} {
		b := open(t, test.url)
		for _, err := range []error{put(b, "a.csv", "x"), b.Check(t.Context())} {
			if err == nil || strings.Contains(err.Error(), secretKey) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := put(b, "a.csv", "x"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
	}
}

// TestCredentialsFile: it is read at each use, and its faults name it.
func TestCredentialsFile(t *testing.T) {
	_, url := server(t)
	path := credentials(t, "only-one-line")
	b, err := s3.New(s3.Config{URL: url + "/reports", Credentials: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(b, "a.csv", "x"); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "only-one-line") {
		t.Errorf("one line: %v", err)
	}
	if err := os.WriteFile(path, []byte("galla\n"+secretKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := put(b, "a.csv", "x"); err != nil {
		t.Errorf("after the file was corrected: %v", err)
	}
}

func TestConfig(t *testing.T) {
	for name, cfg := range map[string]s3.Config{
		"nothing": {}, "no bucket": {URL: "https://s3.example", Credentials: "f"}, "a password": {URL: "https://a:hidden@s3.example/reports", Credentials: "f"},
		"another scheme": {URL: "ftp://s3.example/reports", Credentials: "f"}, "no credentials": {URL: "https://s3.example/reports"},
		"capitals": {URL: "https://s3.example/Reports", Credentials: "f"}, "a query": {URL: "https://s3.example/reports?x=y", Credentials: "f"},
	} {
		if _, err := s3.New(cfg); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	b, err := s3.New(s3.Config{URL: "https://s3.example/reports/of", Credentials: "f"})
	if err != nil || b.String() != "bucket https://s3.example/reports/of" {
		t.Errorf("%v, %v", b, err)
	}
}
