package rdservice

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"galla/shared/freeport"
	"galla/shared/secret"
)

func TestHTTPS(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != methodDiscover {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		_, _ = io.WriteString(w, `<RDService status="READY"><Interface id="CAPTURE" path="/c"/></RDService>`)
	})
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	client, err := New(Config{FirstPort: 1, LastPort: 1})
	if err != nil {
		t.Fatal(err)
	}
	// The self-signed certificate is trusted on loopback, and https is found
	// where http was asked.
	s, err := client.Probe(t.Context(), strings.TrimPrefix(server.URL, "https://"))
	if err != nil || s.Address != server.URL {
		t.Errorf("%+v, %v", s, err)
	}
	// Nowhere else.
	client.clients.loopback = client.clients.elsewhere
	if _, err := client.Probe(t.Context(), server.URL); !errors.Is(err, ErrBroken) {
		t.Errorf("a self-signed certificate passed the strict client: %v", err)
	}
}

// Services on old frameworks know no better than TLS 1.0 and a key exchange that
// is refused elsewhere; on loopback nobody listens in.
func TestOldTLS(t *testing.T) {
	for name, config := range map[string]*tls.Config{
		"1.0, RSA key exchange": {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}},
		"1.1":                   {MinVersion: tls.VersionTLS11, MaxVersion: tls.VersionTLS11},
		"1.2, 3DES":             {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA}},
		"1.3":                   {MinVersion: tls.VersionTLS13},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `<RDService status="READY"><Interface id="CAPTURE" path="/c"/></RDService>`)
			}))
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			server.TLS = config
			server.StartTLS()
			defer server.Close()
			client, err := New(Config{FirstPort: 1, LastPort: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, address := range []string{server.URL, strings.TrimPrefix(server.URL, "https://")} {
				if s, err := client.Probe(t.Context(), address); err != nil || s.Address != server.URL {
					t.Errorf("%s: %+v, %v", address, s, err)
				}
			}
			client.clients.loopback = client.clients.elsewhere
			if _, err := client.Probe(t.Context(), server.URL); err == nil {
				t.Error("it passed the strict client")
			}
		})
	}
}

func TestOnlyLoopback(t *testing.T) {
	for address, here := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "127.9.9.9:1": true,
		"10.0.0.1:1": false, "[2001:db8::1]:1": false, "0.0.0.0:1": false, "x": false,
	} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != here {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Habits that hurt readers' services: no proxy is asked, whatever the
// environment says, and no connection is kept.
func TestNoHabits(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:3128")
	t.Setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
	client, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []*http.Client{client.clients.loopback, client.clients.elsewhere} {
		transport, ok := each.Transport.(*http.Transport)
		if !ok || transport.Proxy != nil || !transport.DisableKeepAlives || !transport.DisableCompression || transport.ForceAttemptHTTP2 {
			t.Errorf("a client is %+v", transport)
		}
	}
}

func TestRefusedOnTheRealNetwork(t *testing.T) {
	address := freeport.For(t)
	client, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Probe(t.Context(), address)
	if !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	if Explain(err).Action != RetryDevice {
		t.Errorf("explained as %+v", Explain(err))
	}
}

// A reset while connecting is no empty port: something took the call.
func TestDialErrors(t *testing.T) {
	for cause, want := range map[error]error{
		syscall.ECONNRESET: ErrBroken, syscall.ECONNREFUSED: ErrRefused, syscall.ETIMEDOUT: ErrTimeout, syscall.ENETUNREACH: ErrRefused,
	} {
		client, err := New(Config{Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", cause)}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Probe(t.Context(), "127.0.0.1:11100"); !errors.Is(err, want) {
			t.Errorf("%v became %v, want %v", cause, err, want)
		}
	}
}

func TestMask(t *testing.T) {
	pid := secret.NewPidData("<PidData>CANARY</PidData>")
	type hidden struct{ c Capture }
	c := Capture{PidData: pid}
	js, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "capture", c, "pid", pid)
	text := string(js) + log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d", "%w"} {
		text += fmt.Sprintf(verb, pid) + fmt.Sprintf(verb, c) + fmt.Sprintf(verb, &c) + fmt.Sprintf(verb, hidden{c}) + fmt.Sprintf(verb, &hidden{c})
	}
	for _, form := range []string{"CANARY", fmt.Sprintf("%x", "CANARY"), fmt.Sprint([]byte("CANARY"))[1:15], base64.StdEncoding.EncodeToString([]byte("<PidData>"))} {
		if strings.Contains(text, form) {
			t.Errorf("PidData was printed as %s", form)
		}
	}
}
