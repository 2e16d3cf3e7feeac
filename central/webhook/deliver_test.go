package webhook_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/webhook"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"galla/central"
	"galla/central/store"
	"galla/central/store/pgtest"
	"galla/shared/op"
	"galla/shared/secret"
)

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// TestDelivery: the specification's own library verifies the message.
func TestDelivery(t *testing.T) {
	r := sandboxRig(t)
	x := &receiver{}
	text := r.at(merchant1, serve(t, x).URL+"/hook?for=shop")
	o := owe(t, r.db, merchant1)
	stop := r.run()
	done := r.await(o, webhook.StateDelivered)
	stop()
	if done.Attempts != 1 || done.HTTP != 200 || done.Failures != 0 {
		t.Errorf("delivered: %+v", done)
	}
	got := x.all()
	if len(got) != 1 || got[0].path != "/hook?for=shop" || got[0].header.Get("Content-Type") != "application/json" || got[0].header.Get(webhook.HeaderID) != "evt_"+string(o.ID) {
		t.Fatalf("received %+v", got)
	}
	v, err := standard.NewWebhook(text.Reveal())
	must(t, err)
	must(t, v.Verify(got[0].body, got[0].header))
	want, err := webhook.RenderBody(done, o)
	must(t, err)
	if string(got[0].body) != string(want) {
		t.Errorf("body %s", got[0].body)
	}
	if c := r.deliverer.Counts(); c != (webhook.Counts{Delivered: 1}) {
		t.Errorf("counts %+v", c)
	}
	if log := r.log.String(); strings.Contains(log, text.Reveal()) || strings.Contains(log, "for=shop") || strings.Contains(log, "7058") {
		t.Errorf("the log has secrets:\n%s", log)
	}
}

// TestDeliveryToTheVendor: a vendor gets the callback of a merchant without an endpoint,
// signed with both of the vendor's secrets while both are live, and with the other one
// when one has ended.
func TestDeliveryToTheVendor(t *testing.T) {
	r := sandboxRig(t)
	x := &receiver{}
	to := webhook.OfVendor(vendor1)
	first := r.receives(to, serve(t, x).URL)
	made, err := r.vault.Mint(context.Background(), to, time.Now().Add(time.Hour))
	must(t, err)
	list, err := r.db.ListSecrets(context.Background(), to)
	must(t, err)
	if len(list) != 2 || list[0].EndsAt.IsZero() || !list[1].EndsAt.IsZero() {
		t.Errorf("secrets %+v", list)
	}
	signed := func(text secret.Token) bool {
		v, err := standard.NewWebhook(text.Reveal())
		must(t, err)
		last := x.all()[len(x.all())-1]
		return v.Verify(last.body, last.header) == nil
	}
	o := owe(t, r.db, merchant2)
	if done := r.once(o); done.State != webhook.StateDelivered || done.Receiver() != to {
		t.Fatalf("delivered: %+v", done)
	}
	if !signed(first) || !signed(made.Secret) {
		t.Error("one of two live secrets has not signed")
	}
	if body := string(x.all()[0].body); !strings.Contains(body, `"merchantId":"`+string(merchant2)+`"`) {
		t.Errorf("the body does not name the merchant: %s", body)
	}
	must(t, r.vault.End(context.Background(), to, list[0].ID, time.Time{}))
	if err := r.vault.End(context.Background(), to, list[0].ID, time.Now().Add(time.Hour)); !errors.Is(err, central.ErrState) {
		t.Errorf("a second end: %v", err)
	}
	r.once(owe(t, r.db, merchant2))
	if signed(first) || !signed(made.Secret) {
		t.Error("a secret that has ended signs, or the live one does not")
	}
	// The merchant's own endpoint wins.
	own := &receiver{}
	text := r.at(merchant2, serve(t, own).URL)
	o = owe(t, r.db, merchant2)
	if done := r.once(o); done.State != webhook.StateDelivered || len(own.all()) != 1 || len(x.all()) != 2 {
		t.Errorf("to its own: %+v", done)
	}
	v, err := standard.NewWebhook(text.Reveal())
	must(t, err)
	must(t, v.Verify(own.all()[0].body, own.all()[0].header))
}

// TestReplies: the result of each kind of reply.
func TestReplies(t *testing.T) {
	elsewhere := &receiver{}
	other := serve(t, elsewhere)
	status := func(code int, header ...string) func(http.ResponseWriter, int) {
		return func(w http.ResponseWriter, _ int) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	hijack := func(text string) func(http.ResponseWriter, int) {
		return func(w http.ResponseWriter, _ int) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = c.Write([]byte(text))
				_ = c.Close()
			}
		}
	}
	r := sandboxRig(t)
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, int)
		state  webhook.State
		http   int
		said   string
		least  time.Duration // until the next attempt
		most   time.Duration
	}{
		{"no content", status(204), webhook.StateDelivered, 204, "HTTP 204", 0, 0},
		{"299", status(299), webhook.StateDelivered, 299, "HTTP 299", 0, 0},
		{"moved", status(302, "Location", other.URL), webhook.StateWaiting, 302, "redirects are not followed", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"moved for good", status(308, "Location", other.URL), webhook.StateWaiting, 308, "redirects are not followed", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"not found", status(404), webhook.StateWaiting, 404, "HTTP 404", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"in trouble", status(500, "Retry-After", "600"), webhook.StateWaiting, 500, "HTTP 500", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"busy", status(429, "Retry-After", "600"), webhook.StateWaiting, 429, "HTTP 429", 600 * time.Second, 600 * time.Second},
		{"away", status(503, "Retry-After", "99999999"), webhook.StateWaiting, 503, "HTTP 503", webhook.MaxBackoff, webhook.MaxBackoff},
		{"no HTTP", hijack("SSH-2.0-OpenSSH\r\n"), webhook.StateWaiting, 0, "is not HTTP", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"a closed connection", hijack(""), webhook.StateWaiting, 0, "is not HTTP", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"endless headers", hijack("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 10_000)), webhook.StateWaiting, 0, "", webhook.FirstBackoff / 2, webhook.FirstBackoff},
		{"endless body", func(w http.ResponseWriter, _ int) {
			for range 1000 {
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		}, webhook.StateDelivered, 200, "HTTP 200", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &receiver{answer: c.answer}
			r.at(merchant1, serve(t, x).URL)
			o := owe(t, r.db, merchant1)
			before := time.Now().Truncate(time.Millisecond) // as the store keeps times
			got := r.once(o)
			if got.State != c.state || got.HTTP != c.http || !strings.Contains(got.Detail, c.said) || got.Node != "" {
				t.Errorf("came to %+v", got)
			}
			if pause := got.DueAt.Sub(before); c.state == webhook.StateWaiting && (pause < c.least || pause > c.most+10*time.Second) {
				t.Errorf("the next attempt is in %s, want %s to %s", pause, c.least, c.most)
			}
			if n := len(x.all()); n != 1 {
				t.Errorf("%d requests for one attempt", n)
			}
			must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), "", nil, time.Now()))
			revokeAll(t, r.db)
		})
	}
	if n := len(elsewhere.all()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func revokeAll(t testing.TB, db *store.DB) {
	t.Helper()
	live, err := db.LiveSecrets(context.Background(), "", 10)
	must(t, err)
	for _, x := range live {
		must(t, db.RevokeSecret(context.Background(), x.ID, time.Now()))
	}
}

// TestGoneDisables: after 410 nothing is sent, until the endpoint is set again.
func TestGoneDisables(t *testing.T) {
	r := sandboxRig(t)
	x := &receiver{answer: func(w http.ResponseWriter, n int) {
		if n == 1 {
			w.WriteHeader(http.StatusGone)
		}
	}}
	s := serve(t, x)
	r.at(merchant1, s.URL)
	o := owe(t, r.db, merchant1)
	if got := r.once(o); got.State != webhook.StateGivenUp || got.HTTP != 410 {
		t.Fatalf("came to %+v", got)
	}
	later := owe(t, r.db, merchant1)
	if got := r.once(later); got.State != webhook.StateGivenUp || got.Attempts != 0 || len(x.all()) != 1 {
		t.Fatalf("came to %+v after %d requests", got, len(x.all()))
	}
	must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), s.URL, []string{webhook.EventFinished}, time.Now()))
	if n, err := r.db.ReplayCallbacksSince(context.Background(), merchant1, o.FinishedAt, time.Now()); n != 2 || err != nil {
		t.Fatalf("%d replayed, %v", n, err)
	}
	if a, b := r.once(o), r.callback(later); a.State != webhook.StateDelivered || b.State != webhook.StateDelivered {
		t.Errorf("after the replay: %+v, %+v", a, b)
	}
	if got := x.all(); len(got) != 3 || got[0].header.Get(webhook.HeaderID) != "evt_"+string(o.ID) {
		t.Errorf("received %d", len(got))
	}
}

// TestNothingToSendWith: without an endpoint a callback is given up; without a secret that
// can be opened it is retried, and never sent unsigned.
func TestNothingToSendWith(t *testing.T) {
	r := sandboxRig(t)
	x := &receiver{}
	s := serve(t, x)
	r.at(merchant1, s.URL)
	o := owe(t, r.db, merchant1)
	revokeAll(t, r.db)
	if got := r.once(o); got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "no secret") {
		t.Errorf("without a secret: %+v", got)
	}
	other := owe(t, r.db, merchant1)
	tasks, err := r.deliverer.Claim(context.Background(), time.Now(), time.Now().Add(webhook.ClaimLease), 1)
	must(t, err)
	must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), "", nil, time.Now()))
	tasks[0].Do(context.Background())
	if got := r.callback(other); got.State != webhook.StateGivenUp || !strings.Contains(got.Detail, "no endpoint") {
		t.Errorf("without an endpoint: %+v", got)
	}
	if n := len(x.all()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestDetails: the text of a failure has no URL, which may contain a merchant's token.
func TestDetails(t *testing.T) {
	const token = "Canary-Token"
	wrap := func(err error) error { return &url.Error{Op: "Post", URL: "https://shop.example/" + token, Err: err} }
	for _, err := range []error{
		errors.New(token), webhook.ErrAddress, context.Canceled, context.DeadlineExceeded, &net.DNSError{Name: token, Err: token},
		&net.OpError{Op: "dial", Err: errors.New(token)}, &net.OpError{Op: "read", Err: errors.New(token)},
		http.ErrSchemeMismatch, x509.UnknownAuthorityError{}, x509.HostnameError{Certificate: &x509.Certificate{}, Host: token}, tls.RecordHeaderError{Msg: token}, tls.AlertError(40),
		x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired},
	} {
		if said := webhook.ErrorDetail(wrap(err)); said == "" || strings.Contains(said, token) {
			t.Errorf("%T: %q", err, said)
		}
	}
}

// TestSlowMerchant: a receiver that never answers uses its share, and the callbacks of
// others are sent meanwhile.
func TestSlowMerchant(t *testing.T) {
	r := sandboxRig(t)
	release := make(chan struct{})
	var inside, most atomic.Int64
	slow := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body) // only then is the sender's end seen
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer inside.Add(-1)
		select {
		case <-release:
		case <-q.Context().Done():
		}
	}))
	quick := &receiver{}
	r.at(merchant1, slow.URL)
	r.at(merchant2, serve(t, quick).URL)
	var stuck, free []central.Operation
	for range 3 * webhook.MaxInFlight {
		stuck = append(stuck, owe(t, r.db, merchant1))
	}
	for range 50 {
		free = append(free, owe(t, r.db, merchant2))
	}
	r.run()
	for _, o := range free {
		r.await(o, webhook.StateDelivered)
	}
	if n := inside.Load(); n != webhook.MaxPerReceiver {
		t.Errorf("%d attempts are under way at the slow receiver, want %d", n, webhook.MaxPerReceiver)
	}
	close(release)
	for _, o := range stuck {
		r.await(o, webhook.StateDelivered)
	}
	if n := most.Load(); n != webhook.MaxPerReceiver {
		t.Errorf("%d attempts were under way at one time, want %d", n, webhook.MaxPerReceiver)
	}
}

// TestTwoNodes: two nodes on one database share the work, and no callback is delivered
// twice or by both at one time.
func TestTwoNodes(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (a, b *store.DB){
		"SQLite": func(t *testing.T) (a, b *store.DB) {
			path := filepath.Join(t.TempDir(), "central.db")
			return openSQLite(t, path, "node-a"), openSQLite(t, path, "node-b")
		},
		"PostgreSQL": func(t *testing.T) (a, b *store.DB) {
			url := pgtest.Database(t)
			return openPostgres(t, url, "node-a"), openPostgres(t, url, "node-b")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbA, dbB := open(t)
			a, b := newRig(t, dbA, webhook.Config{Sandbox: true}), newRig(t, dbB, webhook.Config{Sandbox: true})
			var mu sync.Mutex
			under, times, twice := map[string]bool{}, map[string]int{}, 0
			s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
				id := q.Header.Get(webhook.HeaderID)
				mu.Lock()
				if under[id] {
					twice++
				}
				under[id] = true
				times[id]++
				mu.Unlock()
				time.Sleep(2 * time.Millisecond)
				mu.Lock()
				under[id] = false
				mu.Unlock()
			}))
			a.at(merchant1, s.URL)
			a.at(merchant2, s.URL)
			var list []central.Operation
			for i := range 120 {
				list = append(list, owe(t, dbA, []central.MerchantID{merchant1, merchant2}[i%2]))
			}
			stopA, stopB := a.run(), b.run()
			for _, o := range list {
				a.await(o, webhook.StateDelivered)
			}
			stopA()
			stopB()
			if twice != 0 || len(times) != len(list) {
				t.Errorf("%d of %d callbacks arrived, %d while the same one was under way", len(times), len(list), twice)
			}
			for id, n := range times {
				if n != 1 {
					t.Errorf("%s was delivered %d times", id, n)
				}
			}
			x, y := a.deliverer.Counts().Delivered, b.deliverer.Counts().Delivered
			if x+y != int64(len(list)) || x == 0 || y == 0 {
				t.Errorf("the nodes delivered %d and %d of %d", x, y, len(list))
			}
		})
	}
}

// TestAStoppedNode: an attempt that a stop interrupts is no failure, and another node
// repeats it at once.
func TestAStoppedNode(t *testing.T) {
	r := sandboxRig(t)
	arrived := make(chan struct{})
	var n atomic.Int64
	s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body) // only then is the sender's end seen
		if n.Add(1) == 1 {
			close(arrived)
			<-q.Context().Done()
		}
	}))
	r.at(merchant1, s.URL)
	o := owe(t, r.db, merchant1)
	stop := r.run()
	<-arrived
	stop()
	if got := r.callback(o); got.State != webhook.StateWaiting || got.Failures != 0 || got.Attempts != 1 || got.Node != "" || time.Until(got.DueAt) > 0 {
		t.Errorf("after the node's end: %+v", got)
	}
	if got := r.once(o); got.State != webhook.StateDelivered {
		t.Errorf("the next node's attempt: %+v", got)
	}
}

// TestNeverPending: an operation that was never pending has no callback.
func TestNeverPending(t *testing.T) {
	r := sandboxRig(t)
	r.at(merchant1, serve(t, &receiver{}).URL)
	o := owe(t, r.db, merchant1, func(o *central.Operation) { o.Merchant = "" })
	if _, _, err := r.db.Callback(context.Background(), o.ID); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("an unknown operation: %v", err)
	}
	must(t, r.db.SetEndpoint(context.Background(), webhook.OfMerchant(merchant1), "https://shop.example", []string{"another.event"}, time.Now()))
	o = owe(t, r.db, merchant1)
	if _, _, err := r.db.Callback(context.Background(), o.ID); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("an event that the merchant does not want: %v", err)
	}
	if o.State != op.Succeeded {
		t.Errorf("the operation is %s", o.State)
	}
}
