package server

import (
	"log/slog"
	"strings"
	"testing"

	"galla/shared/secret"
)

func TestDatabaseURL(t *testing.T) {
	const canary = "Saffron%21Canary"
	for _, c := range []struct {
		flag, environment, want, wrong string
	}{
		{},
		{environment: "postgres://galla:" + canary + "@db:5432/galla", want: "postgres://galla:" + canary + "@db:5432/galla"},
		{flag: "postgres://galla@db/galla", environment: "postgres://other@db/galla", want: "postgres://galla@db/galla"},
		{flag: "postgres://galla@a:5432,b:5432/galla?target_session_attrs=read-write", want: "postgres://galla@a:5432,b:5432/galla?target_session_attrs=read-write"},
		{flag: "host=db dbname=galla", want: "host=db dbname=galla"},
		{flag: "postgres://galla:" + canary + "@db/galla", wrong: "GALLA_DATABASE_URL"},
		{flag: "postgres://galla:" + canary + "@a:5432,b:5432/galla", wrong: "GALLA_DATABASE_URL"},
		{flag: "postgres://galla@db/galla?password=" + canary, wrong: "GALLA_DATABASE_URL"},
		{flag: "host=db PASSWORD=" + canary, wrong: "GALLA_DATABASE_URL"},
		{environment: "mysql://galla:" + canary + "@db/galla", wrong: "postgres://"},
		{environment: canary, wrong: "postgres://"},
	} {
		got, err := ParseDatabaseURL(c.flag, c.environment)
		switch {
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), canary)):
			t.Errorf("%q, %q: error %v; want it to name %s and to quote nothing", c.flag, c.environment, err, c.wrong)
		case c.wrong == "" && (err != nil || got.Reveal() != c.want):
			t.Errorf("%q, %q: %v, want %q", c.flag, c.environment, err, c.want)
		}
	}
}

// TestADatabasesPasswordIsNeverTold: whatever is wrong with the database, its
// password is in no error and no log line.
func TestADatabasesPasswordIsNeverTold(t *testing.T) {
	const canary = "SaffronCanary"
	for _, url := range []string{
		"postgres://galla:" + canary + "@" + free(t) + "/galla?connect_timeout=2",
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
			t.Errorf("the password is told, or nothing was wrong: %v\n%s", err, log.String())
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
