package admincli

import (
	"bytes"
	"log/slog"
	"os"
	"testing"

	"galla/central/store/pgtest"
	"galla/shared/secret"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// TestMigrate: on both databases the first makes the schema, and the second finds
// nothing to do.
func TestMigrate(t *testing.T) {
	for name, url := range map[string]string{"SQLite": "", "PostgreSQL": pgtest.Database(t)} {
		cfg := Config{Data: t.TempDir(), Node: "migrate", DatabaseURL: secret.NewToken(url), Logger: slog.New(slog.DiscardHandler)}
		if url == "" {
			cfg.DatabaseURL = secret.Token{}
		}
		for _, want := range []string{"was made, with schema version", "nothing was to be done"} {
			var out bytes.Buffer
			if err := Migrate(t.Context(), cfg, &out); err != nil || !bytes.Contains(out.Bytes(), []byte(want)) {
				t.Errorf("%s: %q, %v; want %q", name, out.String(), err, want)
			}
		}
	}
}
