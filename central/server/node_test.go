package server

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"galla/shared/secret"
)

// TestADatabasesPasswordIsNeverShown: whatever is wrong with the database, its password
// is in no error and no log line.
func TestADatabasesPasswordIsNeverShown(t *testing.T) {
	const canary = "SaffronCanary"
	for _, url := range []string{
		"postgres://galla:" + canary + "@" + refusingPostgres(t) + "/galla?sslmode=disable",
		"postgres://galla:" + canary + "@host with a space/galla",
		"postgres://galla:" + canary + "@127.0.0.1:1/galla?sslmode=" + canary,
		"host=127.0.0.1 port=1 password=" + canary,
		"host=127.0.0.1 nothing password='" + canary,
	} {
		var log strings.Builder
		cfg := testConfig(t)
		cfg.DatabaseURL, cfg.Logger = secret.NewToken(url), slog.New(slog.NewTextHandler(&log, nil))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // a server that does not answer is tried for ten
		err := Run(ctx, cfg)
		cancel()
		if err == nil || strings.Contains(err.Error(), canary) || strings.Contains(log.String(), canary) {
			t.Errorf("the password is shown, or there is no error: %v\n%s", err, log.String())
		}
	}
}

// refusingPostgres is a PostgreSQL that accepts no password.
func refusingPostgres(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			server := pgproto3.NewBackend(c, c)
			if _, err := server.ReceiveStartupMessage(); err == nil {
				server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "galla"`})
				_ = server.Flush()
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func TestNodeName(t *testing.T) {
	for _, c := range []struct {
		given, host, addr string
		shared            bool
		want              string
	}{
		{"north", "shop", "127.0.0.1:7100", true, "north"},
		{"", "shop", "127.0.0.1:7100", false, "central-1"},
		{"", "shop", "127.0.0.1:7100", true, "shop-7100"},
		{"", "shop", "", true, "shop"},
	} {
		if got := NodeName(c.given, c.host, c.addr, c.shared); got != c.want {
			t.Errorf("NodeName(%q, %q, %q, %t) = %q, want %q", c.given, c.host, c.addr, c.shared, got, c.want)
		}
	}
}
