package rdsim

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"galla/rdservice"
	"galla/rdservice/rdcrypto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type pair struct {
	cert *x509.Certificate
	key  *rsa.PrivateKey
}

var authority = sync.OnceValues(func() (pair, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return pair{}, err
	}
	cert, err := rdcrypto.DeviceCertificate(key, "authority", 1000*time.Hour, rand.Reader)
	return pair{cert, key}, err
})

// newDevice makes a device that logs into the buffer.
func newDevice(t testing.TB, cfg Config, log io.Writer) *Device {
	t.Helper()
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(a.cert, rand.Reader, slog.New(slog.NewTextHandler(log, nil)), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// start serves a device on the real network and gives its address and a client.
func start(t *testing.T, cfg Config) (*Device, string, *rdservice.Client) {
	t.Helper()
	d := newDevice(t, cfg, io.Discard)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	client, err := rdservice.New(rdservice.Config{FirstPort: 1, LastPort: 1, Extra: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	return d, server.URL, client
}

// post sends JSON and wants the status.
func post(t *testing.T, address, body string, want int) string {
	t.Helper()
	resp, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Fatalf("%s %s: HTTP %d %s, %v", address, body, resp.StatusCode, got, err)
	}
	return string(got)
}

func only(t *testing.T, client *rdservice.Client) rdservice.Service {
	t.Helper()
	scan, err := client.Discover(t.Context())
	if err != nil || len(scan.Services) != 1 {
		t.Fatalf("found %+v, %v", scan, err)
	}
	return scan.Services[0]
}

func open(t *testing.T, c rdservice.Capture) rdcrypto.Pid {
	t.Helper()
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := rdcrypto.Open([]byte(c.PidData.Reveal()), a.key, a.cert)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Every profile, from discovery to the finger that the bank finds.
func TestProfiles(t *testing.T) {
	for _, name := range ProfileNames(rdservice.Finger) {
		t.Run(name, func(t *testing.T) {
			_, address, client := start(t, Config{Profile: name})
			post(t, address+"/sim/finger", `{"aadhaar":"999971658847","finger":"LEFT_RING","quality":66}`, 200)
			devices, _, err := client.Survey(t.Context())
			if err != nil || len(devices) != 1 || devices[0].InfoErr != nil {
				t.Fatalf("%+v, %v", devices, err)
			}
			dev := devices[0].Listing()
			if dev.Status != rdservice.Ready || dev.Vendor != "Simulator" || !strings.HasPrefix(dev.DPID, "SIM.") ||
				dev.Serial != "SIM0000001" || dev.Level != rdservice.L0 || dev.CertificateEnds == nil || len(dev.DC) != 36 {
				t.Errorf("%+v", dev)
			}
			got, err := client.Capture(t.Context(), devices[0].Service, rdservice.Options{Wadh: rdservice.WadhEKYC})
			if err != nil {
				t.Fatal(err)
			}
			if got.Judgement.Action != rdservice.Accept || got.Reply.ErrCode != "0" {
				t.Errorf("judged %+v of %+v", got.Judgement, got.Reply)
			}
			if q, _ := got.Reply.QScore.Lowest(); q != 66 {
				t.Errorf("quality %v", got.Reply.QScore)
			}
			pid := open(t, got)
			if finger, ok := rdcrypto.Match("999971658847", pid.Bios[0].Raw.Reveal()); !ok || finger != "LEFT_RING" {
				t.Errorf("the finger is %q", finger)
			}
			if pid.Wadh != rdservice.WadhEKYC || !pid.Time.Equal(got.Reply.CapturedAt) || pid.Device.DC != dev.DC {
				t.Errorf("opened %+v", pid)
			}
		})
	}
}

// raw asks as a plain client does, to see the bytes.
func raw(t *testing.T, method, address, body string) (http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header, string(b)
}

func TestShapes(t *testing.T) {
	for name, want := range map[string]struct {
		contains []string
		header   bool
	}{
		profilePlain:   {[]string{`<RDService status="READY" info="Galla simulated RD service"><Interface id="DEVICEINFO" path="/rd/info"/>`}, true},
		profileMantra:  {[]string{"<?xml version=\"1.0\"?>\n", "\n    <Interface id=\"DEVICEINFO\""}, true},
		profileMorpho:  {[]string{`<Interface id="CAPTURE" path="/127.0.0.1:`, `/capture"/><Interface id="DEVICEINFO"`}, false},
		profileStartek: {[]string{"\ufeff<?xml", "\r\n", `path=" http://127.0.0.1:`, `//rd/capture "`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, address, _ := start(t, Config{Profile: name})
			h, body := raw(t, "RDSERVICE", address, "")
			for _, part := range want.contains {
				if !strings.Contains(body, part) {
					t.Errorf("%q is not in %q", part, body)
				}
			}
			if _, has := h["Content-Type"]; has != want.header {
				t.Errorf("Content-Type %q", h["Content-Type"])
			}
		})
	}
	_, address, _ := start(t, Config{})
	for _, call := range [][2]string{{"RDSERVICE", "/x"}, {"DEVICEINFO", "/rd/capture"}, {"GET", "/rd/capture"}, {"GET", "/nothing"}} {
		if _, body := raw(t, call[0], address+call[1], ""); !strings.Contains(body, "404") {
			t.Errorf("%v: %s", call, body)
		}
	}
	if _, body := raw(t, "CAPTURE", address+"/capture", safeOptions); !strings.Contains(body, `errCode="770"`) {
		t.Errorf("capture at a wrong path: %s", body)
	}
}

func TestCapturesOfMany(t *testing.T) {
	_, address, client := start(t, Config{Profile: profileStartek})
	s := only(t, client)
	got, err := client.Capture(t.Context(), s, rdservice.Options{Fingers: 2})
	if err != nil || len(got.Reply.QScore) != 2 {
		t.Fatalf("%+v, %v", got.Reply, err)
	}
	pid := open(t, got)
	for i, want := range []string{"RIGHT_INDEX", "RIGHT_MIDDLE"} {
		finger, _ := rdcrypto.Match(startAadhaar, pid.Bios[i].Raw.Reveal())
		if finger != want || pid.Bios[i].Type != "FMR" || pid.Bios[i].Posh != "UNKNOWN" {
			t.Errorf("finger %d is %s, %+v", i, finger, pid.Bios[i])
		}
	}
	options := strings.NewReplacer("UNKNOWN", "LEFT_THUMB", `fType="2"`, `fType="1"`).Replace(safeOptions)
	_, body := raw(t, "CAPTURE", address+"/rd/capture", options)
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	named, err := rdcrypto.Open([]byte(body), a.key, a.cert)
	if err != nil || named.Bios[0].Posh != "LEFT_THUMB" || named.Bios[0].Type != "FIR" {
		t.Errorf("%+v, %v", named, err)
	}
}

func TestStatuses(t *testing.T) {
	_, address, client := start(t, Config{})
	for _, tt := range []struct {
		status, code string
		action       rdservice.Action
	}{
		{"NOTREADY", "720", rdservice.RetryDevice},
		{"USED", "710", rdservice.RetryDevice},
		{"READY", "0", rdservice.Accept},
	} {
		post(t, address+"/sim/device", `{"status":"`+tt.status+`"}`, 200)
		s := only(t, client)
		info, err := client.Info(t.Context(), s)
		if err != nil || (info.DPID == "") != (tt.status == "NOTREADY") {
			t.Errorf("%+v, %v", info, err)
		}
		got, err := client.Capture(t.Context(), s, rdservice.Options{})
		if err != nil || string(s.Status) != tt.status || got.Reply.ErrCode != tt.code || got.Judgement.Action != tt.action {
			t.Errorf("%s: %+v, %v", tt.status, got, err)
		}
	}
}

func TestUsedWhileCapturing(t *testing.T) {
	inBubble(t, Config{CaptureTime: 3 * time.Second}, func(t *testing.T, b bench) {
		s := only(t, b.client)
		done := make(chan rdservice.Capture)
		go func() {
			c, err := b.client.Capture(t.Context(), s, rdservice.Options{})
			if err != nil {
				t.Error(err)
			}
			done <- c
		}()
		time.Sleep(time.Second)
		// Another program knows nothing of the first one's lock.
		other := b.newClient(t)
		if s := only(t, other); s.Status != rdservice.Used {
			t.Errorf("during the capture: %s", s.Status)
		}
		c, err := other.Capture(t.Context(), s, rdservice.Options{})
		if err != nil || c.Reply.ErrCode != "710" {
			t.Errorf("a second capture: %+v, %v", c, err)
		}
		if c := <-done; c.Judgement.Action != rdservice.Accept {
			t.Errorf("%+v", c.Judgement)
		}
		if s := only(t, b.client); s.Status != rdservice.Ready {
			t.Errorf("afterwards: %s", s.Status)
		}
	})
}

// Every scripted outcome, as the client meets it.
func TestScript(t *testing.T) {
	for _, tt := range []struct {
		outcome string
		want    error // of the exchange
		code    string
		action  rdservice.Action
		ended   string
	}{
		{`{}`, nil, "0", rdservice.Accept, endAnswered},
		{`{"errCode":"0","qScore":"90,30","nmPoints":44}`, nil, "0", rdservice.RetryCustomer, endAnswered},
		{`{"qScore":20}`, nil, "0", rdservice.RetryCustomer, endAnswered},
		{`{"errCode":700}`, nil, "700", rdservice.RetryCustomer, endAnswered},
		{`{"errCode":"720","errInfo":"unplugged & gone"}`, nil, "720", rdservice.RetryDevice, endAnswered},
		{`{"errCode":"999"}`, nil, "999", rdservice.CallSupport, endAnswered},
		{`{"delayMs":9000}`, nil, "0", rdservice.Accept, endAnswered},
		{`{"delayMs":60000}`, rdservice.ErrTimeout, "", "", endAbandoned},
		{`{"hang":true}`, rdservice.ErrTimeout, "", "", endHung},
		{`{"reset":true}`, rdservice.ErrBroken, "", "", endReset},
		{`{"truncate":true}`, rdservice.ErrBroken, "0", "", endTruncated},
		{`{"truncate":40}`, rdservice.ErrBroken, "0", "", endTruncated},
		{`{"httpStatus":405}`, rdservice.ErrStatus, "", "", endAnswered},
		{`{"httpStatus":302}`, rdservice.ErrStatus, "", "", endAnswered},
	} {
		t.Run(tt.outcome, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, b bench) {
				s := only(t, b.client)
				b.script(t, "["+tt.outcome+"]")
				c, err := b.client.Capture(t.Context(), s, rdservice.Options{})
				if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
					t.Fatalf("got %v", err)
				}
				if err == nil && (c.Reply.ErrCode != tt.code || c.Judgement.Action != tt.action) {
					t.Errorf("%+v, judged %+v", c.Reply, c.Judgement)
				}
				synctest.Wait()
				j := b.Journal()
				if len(j) != 1 || j[0].Outcome != tt.ended || j[0].ErrCode != tt.code || !strings.Contains(j[0].PidOptions, "timeout=") {
					t.Errorf("the journal says %+v", j)
				}
				// The script is used up, and the device is free again.
				c, err = b.client.Capture(t.Context(), s, rdservice.Options{})
				if err != nil || c.Judgement.Action != rdservice.Accept {
					t.Errorf("afterwards: %+v, %v", c.Judgement, err)
				}
			})
		})
	}
}

func TestWarmupAndEmptyGlass(t *testing.T) {
	inBubble(t, Config{Warmup: 1}, func(t *testing.T, b bench) {
		s := only(t, b.client)
		c, err := b.client.Capture(t.Context(), s, rdservice.Options{})
		if err != nil || c.Attempts != 2 || c.Judgement.Action != rdservice.Accept {
			t.Errorf("after the start: %d attempts, %+v, %v", c.Attempts, c.Judgement, err)
		}
		b.setDevice(jsonForm([]byte(`{"warmup":2}`), ""))
		c, err = b.client.Capture(t.Context(), s, rdservice.Options{})
		if err != nil || c.Attempts != 3 || c.Judgement.Action != rdservice.Accept {
			t.Errorf("%d attempts, %+v, %v", c.Attempts, c.Judgement, err)
		}
		b.setGlass(jsonForm([]byte(`{"finger":"NONE"}`), ""))
		began := time.Now()
		c, err = b.client.Capture(t.Context(), s, rdservice.Options{Timeout: 7 * time.Second})
		if err != nil || c.Reply.ErrCode != "700" || time.Since(began) != 7*time.Second {
			t.Errorf("an empty glass: %+v after %s, %v", c.Reply, time.Since(began), err)
		}
		b.script(t, `[{"errCode":"0"}]`)
		if c, err := b.client.Capture(t.Context(), s, rdservice.Options{}); err != nil || c.Judgement.Action != rdservice.Accept {
			t.Errorf("a scripted success over an empty glass: %+v, %v", c, err)
		}
	})
}

func TestWrongClock(t *testing.T) {
	_, _, client := start(t, Config{ClockOffset: -10 * time.Minute})
	c, err := client.Capture(t.Context(), only(t, client), rdservice.Options{})
	if err != nil || c.Judgement.Key != "rd.time.stale" || c.Judgement.Usable {
		t.Errorf("%+v, %v", c.Judgement, err)
	}
}

// The server ends although a capture hangs, and joins everything.
func TestShutdown(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, b bench) {
		s := only(t, b.client)
		b.script(t, `[{"hang":true}]`)
		done := make(chan error)
		go func() {
			_, err := b.client.Capture(t.Context(), s, rdservice.Options{Timeout: time.Minute})
			done <- err
		}()
		time.Sleep(time.Second)
		began := time.Now()
		b.stop()
		if took := time.Since(began); took > shutdownPatient {
			t.Errorf("the server ended after %s of virtual time", took)
		}
		if err := <-done; !errors.Is(err, rdservice.ErrBroken) {
			t.Errorf("the hanging capture: %v", err)
		}
		if err := b.Serve(t.Context(), b.memory); err == nil || !strings.Contains(err.Error(), "127.0.0.1:11100") {
			t.Errorf("serving a closed listener: %v", err)
		}
	})
}

func TestRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	err = newDevice(t, Config{Address: address}, io.Discard).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "GALLA_RDSIM_ADDR") {
		t.Errorf("a taken port: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newDevice(t, Config{Address: "http://localhost:0/"}, io.Discard).Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []Config{
		{Address: "0.0.0.0:11100"}, {Address: "http://10.0.0.1:11100"}, {Address: "127.0.0.1"}, {Also: []string{"10.0.0.1:1"}}, {Also: []string{""}},
		{Address: "http://127.0.0.1:1/x"}, {Address: "http://u@127.0.0.1:1"}, {Address: "://"}, {Profile: "secugen"}, {Warmup: -1}, {Warmup: maxWarmup + 1},
	} {
		if _, err := New(a.cert, rand.Reader, slog.New(slog.DiscardHandler), cfg); err == nil {
			t.Errorf("%+v was accepted", cfg)
		}
	}
}

// On a real connection a reset is a reset, not an orderly end.
func TestResetOnTheRealNetwork(t *testing.T) {
	d := newDevice(t, Config{}, io.Discard)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Serve(ctx, l) }()
	post(t, "http://"+l.Addr().String()+"/sim/script", `[{"reset":true},{"truncate":true}]`, 200)
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := client.Probe(t.Context(), l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Capture(t.Context(), s, rdservice.Options{}); !errors.Is(err, rdservice.ErrBroken) {
			t.Errorf("got %v", err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
