package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/edge"
	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// Every maker's shape passes byte for byte, and nothing of it is logged.
func TestCapture(t *testing.T) {
	for _, profile := range rdsim.ProfileNames(rdservice.Finger) {
		t.Run(profile, func(t *testing.T) {
			r := newReader(t, rdsim.Config{Profile: profile})
			r.post(t, "/sim/finger", `{"aadhaar":"999971658847","finger":"LEFT_RING","quality":66}`)
			var log bytes.Buffer
			d := newDevice(t, &log, Config{Extra: []string{r.address}})
			before := time.Now()
			got, err := d.Capture(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := string(r.sent()); got.PidData.Reveal() != want || want == "" {
				t.Errorf("%d bytes were sent, %d arrived", len(want), len(got.PidData.Reveal()))
			}
			if got.Quality != 66 {
				t.Errorf("quality %d", got.Quality)
			}
			// The device's clear timestamp has whole seconds.
			if got.CapturedAt.Before(before.Truncate(time.Second)) || got.CapturedAt.After(time.Now()) {
				t.Errorf("captured at %v, asked at %v", got.CapturedAt, before)
			}
			a, err := authority()
			if err != nil {
				t.Fatal(err)
			}
			pid, err := rdcrypto.Open([]byte(got.PidData.Reveal()), a.key, a.cert)
			if err != nil {
				t.Fatal(err)
			}
			if finger, ok := rdcrypto.Match("999971658847", pid.Bios[0].Raw.Reveal()); !ok || finger != "LEFT_RING" || len(pid.Bios) != 1 {
				t.Errorf("%d biometrics, the finger is %q", len(pid.Bios), finger)
			}
			if s := d.State(); s.Status != "READY" || s.Problem != "" || !strings.HasPrefix(s.Name, "Simulator (") ||
				s.Serial != "SIM0000001" || s.CertEnd.Before(before) || s.Checked.Before(before) {
				t.Errorf("state %+v", s)
			}
			if text := log.String() + fmt.Sprintf("%+v %#v", got, got); strings.Contains(text, "<PidData") || strings.Contains(text, "<Skey") {
				t.Error("PidData was printed")
			}
		})
	}
}

// A capture for an e-KYC step is marked as one, and no other is.
func TestCaptureKYC(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}})
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	for want, capture := range map[string]func(context.Context) (edge.Capture, error){
		"": d.Capture, rdservice.WadhEKYC: d.CaptureKYC,
	} {
		got, err := capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pid, err := rdcrypto.Open([]byte(got.PidData.Reveal()), a.key, a.cert)
		if err != nil || pid.Wadh != want {
			t.Errorf("wadh is %q, want %q: %v", pid.Wadh, want, err)
		}
	}
}

// What the service answers, and what the agent reads.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, body string
		code, action     string
		words            string
		cause            error // nil: a *Refusal
		captures         int
	}{
		{"no finger", "/sim/script", `[{"errCode":"700"}]`, "700", "retry-customer", "Ask the customer", nil, 1},
		{"no finger in the time", "/sim/finger", `{"finger":"NONE"}`, "700", "retry-customer", "Ask the customer", nil, 1},
		{"held by another", "/sim/script", `[{"errCode":"710"}]`, "710", "retry-device", "Close it", nil, 1},
		{"held by another, announced", "/sim/device", `{"status":"USED"}`, "710", "retry-device", "Close it", nil, 1},
		{"not ready", "/sim/script", `[{"errCode":"720"}]`, "720", "retry-device", "cable", nil, 1},
		{"not ready, announced", "/sim/device", `{"status":"NOTREADY"}`, "720", "retry-device", "cable", nil, 1},
		{"not read", "/sim/script", `[{"errCode":"730"}]`, "730", "retry-customer", "Clean the finger", nil, 1},
		{"unplugged", "/sim/script", `[{"errCode":"-1307"}]`, "-1307", "retry-device", "Plug it in", nil, 1},
		{"still starting", "/sim/device", `{"warmup":9}`, "-1509", "retry-device", "Wait", nil, 4},
		{"locked", "/sim/script", `[{"errCode":"900"}]`, "900", "call-support", "Code: 900.", nil, 1},
		{"not known", "/sim/script", `[{"errCode":"4711"}]`, "4711", "call-support", "Code: 4711.", nil, 1},
		{"our fault", "/sim/script", `[{"errCode":"110"}]`, "110", "fix-request", "call support. Code: 110.", nil, 1},
		{"too faint", "/sim/finger", `{"quality":20}`, "", "retry-customer", "Clean the finger", nil, 1},
		{"reset", "/sim/script", `[{"reset":true}]`, "", "retry-device", "broke off", rdservice.ErrBroken, 1},
		{"cut off", "/sim/script", `[{"truncate":true}]`, "", "retry-device", "broke off", rdservice.ErrBroken, 1},
		{"no such method", "/sim/script", `[{"httpStatus":405}]`, "", "call-support", "Call support", rdservice.ErrStatus, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, rdsim.Config{})
			r.post(t, c.path, c.body)
			d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, CaptureTimeout: rdservice.MinTimeout})
			p := refused(t, d)
			if p.Code != c.code || p.Action != c.action || !strings.Contains(p.Message, c.words) {
				t.Errorf("reported %+v", p)
			}
			var r2 *Refusal
			if c.cause == nil && (!errors.As(p, &r2) || r2.Address != r.address || r2.Code != c.code || r2.Error() == "") ||
				c.cause != nil && !errors.Is(p, c.cause) {
				t.Errorf("cause %v", p.Err)
			}
			if n := r.count("CAPTURE"); n != c.captures {
				t.Errorf("CAPTURE was sent %d times, want %d", n, c.captures)
			}
		})
	}
}

// A service that starts is asked again by itself, and a faint finger is taken.
func TestUsable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, body string
		quality          int
		captures         int
	}{
		{"still starting, once", "/sim/device", `{"warmup":1}`, -1, 2},
		{"faint", "/sim/finger", `{"quality":30}`, 30, 1},
		{"quality of each finger", "/sim/script", `[{"qScore":"71,-1"}]`, 71, 1},
		{"quality not known", "/sim/script", `[{"qScore":"good"}]`, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, rdsim.Config{})
			r.post(t, c.path, c.body)
			d := newDevice(t, io.Discard, Config{Extra: []string{r.address}})
			got, err := d.Capture(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got.PidData.Reveal() != string(r.sent()) || c.quality >= 0 && got.Quality != c.quality {
				t.Errorf("got %+v", got)
			}
			if n := r.count("CAPTURE"); n != c.captures {
				t.Errorf("CAPTURE was sent %d times, want %d", n, c.captures)
			}
		})
	}
}

// A device whose clock is wrong gives captures that the bank refuses.
func TestStale(t *testing.T) {
	r := newReader(t, rdsim.Config{ClockOffset: -time.Hour})
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}})
	p := refused(t, d)
	if p.Code != "" || p.Action != "retry-device" || !strings.Contains(p.Message, "clock") {
		t.Errorf("reported %+v", p)
	}
}

// The agent cancels a capture that hangs, or its time ends.
func TestHang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		ctx    func(context.Context) (context.Context, context.CancelFunc)
		action string
		words  string
		cause  error
	}{
		{"cancelled", context.WithCancel,
			"retry-customer", "cancelled and nothing was sent", rdservice.ErrCancelled},
		{"too late", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 2*time.Second)
		}, "retry-device", "did not answer in time", rdservice.ErrTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t, rdsim.Config{})
			r.post(t, "/sim/script", `[{"hang":true}]`)
			d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, CaptureTimeout: time.Minute})
			until := run(t, d)
			until("the reader", is("READY"))
			ctx, cancel := c.ctx(t.Context())
			defer cancel()
			result := make(chan error, 1)
			go func() {
				_, err := d.Capture(ctx)
				result <- err
			}()
			r.arrived(t)
			if errors.Is(c.cause, rdservice.ErrCancelled) {
				cancel()
			}
			p := problem(t, edge.Capture{}, <-result)
			if p.Code != "" || p.Action != c.action || !strings.Contains(p.Message, c.words) || !errors.Is(p, c.cause) {
				t.Errorf("reported %+v", p)
			}
			r.over(t)
			r.post(t, "/sim/device", `{"status":"USED"}`) // as a service that goes on
			if p := refused(t, d); p.Code != "710" || p.Action != "retry-device" || p.Message != stillCapturingText {
				t.Errorf("while the service goes on: %+v", p)
			}
			until("that to show", func(s edge.ReaderState) bool { return s.Status == "USED" && s.Problem == stillCapturingText })
			r.post(t, "/sim/device", `{"status":"READY"}`)
			if _, err := d.Capture(t.Context()); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

// The service itself never answers: the customer's time and the grace end it.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	r := newReader(t, rdsim.Config{})
	r.post(t, "/sim/script", `[{"hang":true}]`)
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, CaptureTimeout: rdservice.MinTimeout})
	p := refused(t, d)
	if !errors.Is(p, rdservice.ErrTimeout) || p.Action != "retry-device" {
		t.Errorf("reported %+v", p)
	}
}

// Two captures at once: the second asks the reader for nothing, and while the
// first runs nobody disturbs the reader.
func TestBusy(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}, ScanInterval: time.Millisecond})
	until := run(t, d)
	until("the reader", is("READY"))
	r.post(t, "/sim/script", `[{"hang":true}]`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := d.Capture(ctx)
		result <- err
	}()
	r.arrived(t)
	before := r.count("")
	p := refused(t, d)
	if !errors.Is(p, rdservice.ErrBusy) || p.Code != "" || p.Action != "retry-device" || !strings.Contains(p.Message, "Wait until it has ended") {
		t.Errorf("reported %+v", p)
	}
	if s := d.State(); s.Status != "USED" || s.Problem == "" || s.Name == "" {
		t.Errorf("state while capturing: %+v", s)
	}
	time.Sleep(100 * time.Millisecond) // a hundred looks, were they not held back
	// What the look that was broken off had sent may come late.
	if late := r.count("") - before; late > 2 {
		t.Errorf("%d requests while the reader captured", late)
	}
	cancel()
	if err := <-result; !errors.Is(err, rdservice.ErrCancelled) {
		t.Fatal(err)
	}
	until("the reader again", is("READY"))
	if n := r.count("CAPTURE"); n != 1 {
		t.Errorf("CAPTURE was sent %d times", n)
	}
}

// A service that accepts and says nothing does not keep a capture waiting: the
// look is broken off, and changes nothing.
func TestCaptureEndsLook(t *testing.T) {
	var silent atomic.Bool
	looking := make(chan struct{}, 1)
	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if silent.Load() {
			looking <- struct{}{}
			<-req.Context().Done()
		}
		http.NotFound(w, req)
	}))
	defer mute.Close()
	r := newReader(t, rdsim.Config{})
	var log bytes.Buffer
	d := newDevice(t, &log, Config{Extra: []string{r.address, mute.URL}})
	if err := d.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	checked := d.State().Checked
	silent.Store(true)
	var wg sync.WaitGroup
	wg.Go(func() { d.scanIfIdle(t.Context()) })
	<-looking
	if _, err := d.Capture(t.Context()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if s := d.State(); s.Status != "READY" || s.Checked != checked {
		t.Errorf("the cancelled scan changed the state: %+v", s)
	}
	if !strings.Contains(log.String(), "reader scan was cancelled") {
		t.Error("the scan was not cancelled")
	}
}

// A capture that ends before its turn asks the reader for nothing.
func TestCancelledBeforeTheReaderIsKnown(t *testing.T) {
	r := newReader(t, rdsim.Config{})
	d := newDevice(t, io.Discard, Config{Extra: []string{r.address}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := d.Capture(ctx)
	if p := problem(t, got, err); !errors.Is(p, rdservice.ErrCancelled) {
		t.Errorf("reported %+v", p)
	}
	if n := r.count("CAPTURE"); n != 0 {
		t.Errorf("CAPTURE was sent %d times", n)
	}
}
