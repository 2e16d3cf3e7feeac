package rdservice

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/ist"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is a computer in memory: what answers at each of its ports.
type counter map[int]func(net.Conn)

func (c counter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var n int
	if _, err := fmt.Sscan(port, &n); err != nil {
		return nil, err
	}
	serve, ok := c[n]
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	if serve == nil { // a port whose packets are dropped
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		serve(far)
	}()
	return near, nil
}

// answer reads one request and writes raw bytes; then the connection closes.
func answer(raw string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, raw)
		}
	}
}

// silence reads one request and never answers.
func silence(conn net.Conn) {
	_, _ = io.Copy(io.Discard, conn)
}

func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func rd(status, capture string) string {
	return ok(`<RDService status="` + status + `" info="Test"><Interface id="CAPTURE" path="` + capture + `"/><Interface id="DEVICEINFO" path="/rd/info"/></RDService>`)
}

// newClient makes a client of that computer.
func newClient(t *testing.T, c counter, cfg Config) *Client {
	t.Helper()
	cfg.Dial = c.dial
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// All 21 ports at once, in every state that the field knows.
func TestDiscoverEveryState(t *testing.T) {
	endless := func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		for err == nil {
			_, err = conn.Write(bytes.Repeat([]byte("<!-- -->"), 8192))
		}
	}
	drip := func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		for err == nil {
			time.Sleep(100 * time.Millisecond)
			_, err = io.WriteString(conn, " ")
		}
	}
	late := func(conn net.Conn) {
		time.Sleep(2 * time.Second)
		answer(rd("USED", "/late"))(conn)
	}
	c := counter{
		11100: answer(rd("NOTREADY", "/127.0.0.1:11102/capture")),
		11101: answer(rd("READY", " /rd/ capture")),
		11102: nil,
		11103: silence,
		11104: func(net.Conn) {},
		11105: answer("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"),
		11106: answer("HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"),
		11107: answer(rd("READY", "http://evil.example/rd/capture")),
		11108: endless,
		11109: drip,
		11110: answer("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n<RDService"),
		11111: answer("\x15\x03\x01\x00\x02\x02\x46"),
		11112: answer(ok("<html></html>")),
		11113: answer(ok("\xff\xfe<\x00R\x00")),
		11114: answer(ok(`<!DOCTYPE a><RDService status="READY"/>`)),
		11115: answer(rd("READY", "")),
		11116: late,
		11117: answer("HTTP/1.1 500 Internal Server Error\r\n\r\n"),
		11118: answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
		11119: answer("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"),
		// 11120 refuses connections
	}
	want := map[int]error{
		11102: ErrTimeout, 11103: ErrTimeout, 11104: ErrBroken, 11105: ErrStatus, 11106: ErrStatus,
		11107: ErrForeignHost, 11108: ErrTooLarge, 11109: ErrTimeout, 11110: ErrBroken, 11111: ErrReply,
		11112: ErrReply, 11113: ErrReply, 11114: ErrReply, 11117: ErrStatus, 11118: ErrBroken,
		11119: ErrBroken, 11120: ErrRefused, 11200: ErrRefused, 8005: ErrRefused,
	}
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, c, Config{})
		began := time.Now()
		scan, err := client.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 3*time.Second { // virtual time
			t.Errorf("the scan took %s", took)
		}
		var got []string
		for _, s := range scan.Services {
			got = append(got, s.Address+" "+string(s.Status)+" "+s.CapturePath)
		}
		expected := []string{
			"http://127.0.0.1:11101 READY /rd/capture",
			"http://127.0.0.1:11116 USED /late",
			"http://127.0.0.1:11100 NOTREADY /capture",
			"http://127.0.0.1:11115 READY ",
		}
		if !slices.Equal(got, expected) {
			t.Errorf("found %q", got)
		}
		for _, f := range scan.Failures {
			var port int
			if _, err := fmt.Sscanf(strings.Replace(f.Address, "https:", "http:", 1), "http://127.0.0.1:%d", &port); err != nil {
				t.Fatal(err)
			}
			if !errors.Is(f, want[port]) {
				t.Errorf("%v, want %v", f, want[port])
			}
			delete(want, port)
		}
		if len(want) > 0 {
			t.Errorf("no failure was reported of %v", want)
		}
		time.Sleep(time.Second) // the dripping service notices that nobody listens
	})
}

func TestDiscoverCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, counter{11100: silence, 11101: nil}, Config{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := client.Discover(ctx); !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v", err)
		}
	})
}

// recorder is a service that keeps what it was asked and answers captures in
// turn.
type recorder struct {
	mu       sync.Mutex
	requests []string
	headers  []http.Header
	answers  []string
	hold     chan struct{} // where set, a capture waits for it
}

func (r *recorder) serve(conn net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.requests = append(r.requests, req.Method+" "+req.RequestURI+" "+string(body))
	h := req.Header.Clone()
	if req.Close {
		h.Set("Connection", "close")
	}
	r.headers = append(r.headers, h)
	reply := rd("READY", "/c")
	switch req.Method {
	case methodInfo:
		reply = ok(`<DeviceInfo dpId="SIM.T"/>`)
	case methodCapture:
		reply, r.answers = r.answers[0], r.answers[1:]
	}
	r.mu.Unlock()
	if r.hold != nil && req.Method == methodCapture {
		<-r.hold
	}
	_, _ = io.WriteString(conn, reply)
}

// fresh is a PidData captured at the given time.
func fresh(at time.Time, resp string) string {
	data := base64.StdEncoding.EncodeToString([]byte(at.In(ist.Zone()).Format(timeLayout) + "sealed"))
	return pidData(resp, data) + "\r\n"
}

func TestCapture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := fresh(time.Now(), `errCode="0" qScore="71" nmPoints="46"`)
		r := &recorder{answers: []string{ok(body)}}
		client := newClient(t, counter{11100: r.serve}, Config{})
		s, err := client.Probe(t.Context(), "localhost:11100")
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Capture(t.Context(), s, Options{Timeout: 20 * time.Second, Wadh: WadhEKYC})
		if err != nil {
			t.Fatal(err)
		}
		if got.PidData.Reveal() != body {
			t.Error("PidData was changed on its way")
		}
		if got.Judgement.Action != Accept || !got.Judgement.Usable || got.Attempts != 1 {
			t.Errorf("judged %+v", got.Judgement)
		}
		info, err := client.Info(t.Context(), s)
		if err != nil || info.Vendor() != "Simulator" {
			t.Errorf("%+v, %v", info, err)
		}
		want := []string{
			"RDSERVICE / ",
			`CAPTURE /c <PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="20000" wadh="E0jzJ/P8UopUHAieZn8CKqS4WPMi5ZSYXgfnlfkWjrc=" posh="UNKNOWN" env="P"/></PidOptions>`,
			"DEVICEINFO /rd/info ",
		}
		if !slices.Equal(r.requests, want) {
			t.Errorf("asked %q", r.requests)
		}
		for i, h := range r.headers {
			if h.Get("Connection") != "close" || h.Get("Accept-Encoding") != "" {
				t.Errorf("headers of %q: %v", r.requests[i], h)
			}
		}
		js, err := json.Marshal(got.Summary())
		if err != nil || !strings.HasPrefix(string(js), `{"errCode":"0","errInfo":"","qScore":71,"nmPoints":46,"capturedAt":"2000-01-01T05:30:00+05:30","bytes":`) ||
			!strings.HasSuffix(string(js), `"action":"accept"}`) {
			t.Errorf("summary %s, %v", js, err)
		}
	})
}

func TestCaptureStarting(t *testing.T) {
	starting := ok(`<PidData><Resp errCode="-1509" errInfo="starting"/></PidData>`)
	for _, tt := range []struct {
		starts, attempts int
		action           Action
		waited           time.Duration
	}{
		{1, 2, Accept, 1500 * time.Millisecond},
		{3, 4, Accept, 4500 * time.Millisecond},
		{9, 4, RetryDevice, 4500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &recorder{}
			for range tt.starts {
				r.answers = append(r.answers, starting)
			}
			r.answers = append(r.answers, ok(fresh(time.Now(), `errCode="0"`)))
			client := newClient(t, counter{11100: r.serve}, Config{})
			began := time.Now()
			got, err := client.Capture(t.Context(), Service{Address: "http://127.0.0.1:11100", CapturePath: "/c"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Attempts != tt.attempts || got.Judgement.Action != tt.action || time.Since(began) != tt.waited {
				t.Errorf("%d attempts in %s: %+v", got.Attempts, time.Since(began), got.Judgement)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{answers: []string{starting, starting}}
		client := newClient(t, counter{11100: r.serve}, Config{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := client.Capture(ctx, Service{Address: "http://127.0.0.1:11100", CapturePath: "/c"}, Options{})
		if !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v", err)
		}
	})
}

// The kind of a failed exchange is reported, and a CAPTURE is never sent again.
func TestCaptureFailures(t *testing.T) {
	tests := map[string]struct {
		serve func(net.Conn)
		want  error
	}{
		"refused":       {nil, ErrRefused},
		"hangs":         {silence, ErrTimeout},
		"resets":        {func(net.Conn) {}, ErrBroken},
		"cut off":       {answer("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n<PidData>"), ErrBroken},
		"cut off early": {answer("HTTP/1.1 200"), ErrBroken},
		"405":           {answer("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"), ErrStatus},
		"empty":         {answer(ok("")), ErrReply},
		"UTF-16":        {answer(ok("\xfe\xff\x00<")), ErrReply},
		"wrong root":    {answer(ok("<RDService/>")), ErrReply},
		"10 MB":         {answer(ok("<PidData>" + strings.Repeat("x", 10<<20))), ErrTooLarge},
		"no HTTP":       {answer("<PidData>CANARY</PidData>\n"), ErrReply},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls int
				c := counter{}
				if tt.serve != nil {
					c[11100] = func(conn net.Conn) {
						calls++
						tt.serve(conn)
					}
				}
				client := newClient(t, c, Config{})
				s := Service{Address: "http://127.0.0.1:11100", CapturePath: "/c"}
				_, err := client.Capture(t.Context(), s, Options{})
				if !errors.Is(err, tt.want) {
					t.Fatalf("got %v", err)
				}
				if strings.Contains(err.Error(), "CANARY") {
					t.Errorf("the error quotes the reply: %v", err)
				}
				if calls > 1 {
					t.Errorf("CAPTURE was sent %d times", calls)
				}
				if j := Explain(err); j.Usable || j.Text == "" || j.Action == Accept {
					t.Errorf("explained as %+v", j)
				}
				// The device is free again.
				if _, err := client.Capture(t.Context(), s, Options{}); errors.Is(err, ErrBusy) {
					t.Error("the device stayed taken")
				}
			})
		})
	}
}

func TestCaptureOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{hold: make(chan struct{}), answers: []string{ok(fresh(time.Now(), `errCode="0"`))}}
		other := &recorder{answers: []string{ok(fresh(time.Now(), `errCode="0"`))}}
		client := newClient(t, counter{11100: r.serve, 11105: other.serve}, Config{})
		scan, err := client.Discover(t.Context())
		if err != nil || len(scan.Services) != 2 {
			t.Fatal(scan, err)
		}
		s := scan.Services[0]
		if _, err := client.Info(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := client.Capture(t.Context(), s, Options{})
			done <- err
		}()
		synctest.Wait()
		for _, address := range []string{s.Address, "https://localhost:11100"} {
			_, err := client.Capture(t.Context(), Service{Address: address, CapturePath: "/c"}, Options{})
			if !errors.Is(err, ErrBusy) {
				t.Errorf("a second capture at %s: %v", address, err)
			}
		}
		if _, err := client.Capture(t.Context(), scan.Services[1], Options{}); err != nil {
			t.Errorf("another device: %v", err)
		}
		// A discovery does not disturb the running capture.
		again, err := client.Discover(t.Context())
		if err != nil || again.Services[1].Address != s.Address || again.Services[1].Status != Used {
			t.Errorf("during the capture: %+v, %v", again.Services, err)
		}
		if info, err := client.Info(t.Context(), s); err != nil || info.DPID != "SIM.T" {
			t.Errorf("during the capture: %+v, %v", info, err)
		}
		if n := len(r.requests); n != 3 {
			t.Errorf("the capturing service was asked %d times: %q", n, r.requests)
		}
		close(r.hold)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestNew(t *testing.T) {
	client, err := New(Config{Extra: []string{"http://127.0.0.1:11100", "localhost:11200", " https://127.0.0.1:8005/ "}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(client.addresses); n != 23 {
		t.Errorf("%d addresses: one of the range was named again", n)
	}
	for _, bad := range []Config{
		{FirstPort: 5, LastPort: 4}, {FirstPort: 1, LastPort: 70000}, {FirstPort: 1, LastPort: 1000},
		{Extra: []string{""}}, {Extra: []string{"127.0.0.1"}}, {Extra: []string{"ftp://127.0.0.1:1"}},
		{Extra: []string{"http://u:p@127.0.0.1:1"}}, {Extra: []string{"http://127.0.0.1:1/path"}}, {Extra: []string{"http://127.0.0.1:99999"}},
	} {
		if _, err := New(bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestCalledWrongly(t *testing.T) {
	client, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := client.Info(ctx, Service{Address: "http://127.0.0.1:1"}); !errors.Is(err, ErrNoInterface) {
		t.Error(err)
	}
	if _, err := client.Capture(ctx, Service{Address: "http://127.0.0.1:1"}, Options{}); !errors.Is(err, ErrNoInterface) {
		t.Error(err)
	}
	if _, err := client.Capture(ctx, Service{Address: "nonsense", CapturePath: "/"}, Options{}); !errors.Is(err, ErrAddress) {
		t.Error(err)
	}
	if _, err := client.Capture(ctx, Service{Address: "http://127.0.0.1:1", CapturePath: "@evil.example/x"}, Options{}); !errors.Is(err, ErrReply) {
		t.Error(err)
	}
	if _, err := client.Capture(ctx, Service{Address: "http://127.0.0.1:1", CapturePath: "/"}, Options{Timeout: time.Hour}); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	if _, err := client.Probe(ctx, "nonsense"); !errors.Is(err, ErrAddress) {
		t.Error(err)
	}
}

func TestSurvey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		client := newClient(t, counter{11100: r.serve, 11101: answer(ok(`<RDService status="NOTREADY" info="Morpho_RD_Service"/>`))}, Config{})
		devices, _, err := client.Survey(t.Context())
		if err != nil || len(devices) != 2 {
			t.Fatal(devices, err)
		}
		if !errors.Is(devices[1].InfoErr, ErrNoInterface) || devices[1].Listing().Vendor != "Morpho" {
			t.Errorf("%+v", devices[1])
		}
		js, err := json.Marshal(devices[0].Listing())
		want := `{"address":"http://127.0.0.1:11100","vendor":"Simulator","info":"Test","status":"READY","dpId":"SIM.T","rdsId":"","rdsVer":"","mi":"","dc":"","serial":"","level":"","certificateEnds":null,"capturePath":"/c","infoPath":"/rd/info"}`
		if err != nil || string(js) != want {
			t.Errorf("%s, %v", js, err)
		}
	})
}
