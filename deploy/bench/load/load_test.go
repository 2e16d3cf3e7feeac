package load

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestRun makes requests of which each has a number of its own; the server closes a
// connection now and then, and refuses one request.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		key := r.Header.Get("Key")
		seen[key]++
		if strings.HasSuffix(key, "5") {
			w.Header().Set("Connection", "close")
		}
		if key == "key-000000000020" {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	var number, left atomic.Int64
	left.Store(100)
	r := Run(t.Context(), Plan{
		Addr: addr, Connections: 4,
		Good: func(r *fasthttp.Response) bool { return r.StatusCode() == http.StatusOK },
		Next: func(int) Requests {
			next := Numbered(Post(addr, "/", "{}", "Key", "key-"+Mark), &number)
			return func() []byte {
				if left.Add(-1) < 0 {
					return nil
				}
				return next()
			}
		},
	})
	if r.Done != 99 || r.Failed != 1 || len(r.Took) != 99 || !strings.Contains(r.Check().Error(), "HTTP 418") {
		t.Errorf("%d done, %d failed: %v", r.Done, r.Failed, r.Check())
	}
	if len(seen) != 100 {
		t.Errorf("%d different requests came of 100", len(seen))
	}
	if r.Quantile(0.5) > r.Quantile(0.99) || r.Quantile(1) != r.Took[98] || r.Rate() <= 0 {
		t.Errorf("half within %s, 99 of 100 within %s, %v a second", r.Quantile(0.5), r.Quantile(0.99), r.Rate())
	}
}

func TestRunEnds(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	var number atomic.Int64
	r := Run(t.Context(), Plan{
		Addr: addr, Connections: 2, For: 20 * time.Millisecond,
		Next: func(int) Requests { return Numbered(Post(addr, "/", Mark), &number) },
		Good: func(*fasthttp.Response) bool { return true },
	})
	if r.Done == 0 || r.Failed != 0 || r.Span < 20*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

func TestPutNumber(t *testing.T) {
	b := []byte("<999999>")
	PutNumber(b[1:7], 42)
	if string(b) != "<000042>" {
		t.Errorf("%s", b)
	}
}

// TestAnd adds what two runs did at the same time.
func TestAnd(t *testing.T) {
	fault := errors.New("refused")
	a := Result{Done: 2, Span: time.Second, Took: []time.Duration{1, 4}}
	b := Result{Done: 1, Failed: 1, Span: 2 * time.Second, Took: []time.Duration{3}, First: fault}
	sum := a.And(b)
	if sum.Done != 3 || sum.Failed != 1 || sum.Span != 2*time.Second || !slices.Equal(sum.Took, []time.Duration{1, 3, 4}) || !errors.Is(sum.First, fault) {
		t.Errorf("%+v", sum)
	}
	if again := b.And(a); again.Rate() != sum.Rate() || !errors.Is(again.First, fault) {
		t.Errorf("%+v", again)
	}
}
