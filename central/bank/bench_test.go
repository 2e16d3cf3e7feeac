package bank

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"galla/shared/secret"
)

// BenchmarkSend measures one exchange with a bank that answers at once, over a kept
// connection and over one of its own. The bank allocates nothing for a request, so
// that what is counted is the adapter's and, where connections are new, the system's.
func BenchmarkSend(b *testing.B) {
	for _, secure := range []bool{false, true} {
		for _, kept := range []bool{false, true} {
			name := map[bool]string{false: "http", true: "tls"}[secure] + map[bool]string{false: "/new", true: "/kept"}[kept]
			b.Run(name, func(b *testing.B) {
				cfg := quickBank(b, secure, kept)
				if !kept {
					cfg.MaxIdle = -1
				}
				c := newClient(b, cfg)
				req := aRequest(b)
				req.PidData, req.NotAfter = secret.NewPidData("<PidData>"+strings.Repeat("x", 1200)+"</PidData>"), time.Now().Add(time.Hour)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Send(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// quickBank answers every request with the same bytes.
func quickBank(b *testing.B, secure, keep bool) Config {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	cfg := Config{BaseURL: "http://" + l.Addr().String()}
	if secure {
		s := httptest.NewUnstartedServer(nil) // it has a certificate
		s.StartTLS()
		b.Cleanup(s.Close)
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		cfg.BaseURL, cfg.TLS = "https://"+l.Addr().String(), &tls.Config{RootCAs: roots}
		l = tls.NewListener(l, &tls.Config{Certificates: s.TLS.Certificates})
	}
	b.Cleanup(func() { _ = l.Close() })
	reply := []byte(signed(200, approvedBody))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				in := make([]byte, 8<<10)
				for n := 0; ; {
					m, err := c.Read(in[n:])
					if err != nil {
						return
					}
					if n += m; !bytes.HasSuffix(in[:n], []byte("}")) { // the body's end
						continue
					}
					n = 0
					if _, err := c.Write(reply); err != nil || !keep {
						return
					}
				}
			}()
		}
	}()
	return cfg
}
