package server

import (
	"log/slog"
	"strings"
	"testing"

	"galla/shared/freeport"
	"galla/shared/secret"
)

// TestADatabasesPasswordIsNeverShown: whatever is wrong with the database, its password
// is in no error and no log line.
func TestADatabasesPasswordIsNeverShown(t *testing.T) {
	const canary = "SaffronCanary"
	for _, url := range []string{
		"postgres://galla:" + canary + "@" + freeport.For(t) + "/galla?connect_timeout=2",
		"postgres://galla:" + canary + "@host with a space/galla",
		"postgres://galla:" + canary + "@127.0.0.1:1/galla?sslmode=" + canary,
		"host=127.0.0.1 port=1 connect_timeout=2 password=" + canary,
		"host=127.0.0.1 nothing password='" + canary,
	} {
		var log strings.Builder
		cfg := testConfig(t)
		cfg.DatabaseURL, cfg.Logger = secret.NewToken(url), slog.New(slog.NewTextHandler(&log, nil))
		err := Run(t.Context(), cfg)
		if err == nil || strings.Contains(err.Error(), canary) || strings.Contains(log.String(), canary) {
			t.Errorf("the password is shown, or there is no error: %v\n%s", err, log.String())
		}
	}
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
