package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/central/api/openapi"
	"galla/edge/queue"
	"galla/shared/wire"
)

// TestTheNewestReleaseIsOnTheUpgradePage: the last section of upgrade.md has the formats of
// this program. A release that changes one gets a section that says what to do.
func TestTheNewestReleaseIsOnTheUpgradePage(t *testing.T) {
	raw, err := os.ReadFile("upgrade.md")
	if err != nil {
		t.Fatal(err)
	}
	_, releases, _ := strings.Cut(string(raw), "\n## Each release\n")
	sections := strings.Split(releases, "\n### ")
	newest := sections[len(sections)-1]
	migrations, err := filepath.Glob("../../central/store/migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatalf("%d migrations, %v", len(migrations), err)
	}
	document, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var interfaceOf struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
	}
	if err := json.Unmarshal(document, &interfaceOf); err != nil {
		t.Fatal(err)
	}
	for format, writes := range map[string]string{
		"schema of the central's database, by its migrations": fmt.Sprint(len(migrations)),
		"file of the counter's queue":                         fmt.Sprint(queue.Writes),
		"protocol of the uplink":                              fmt.Sprint(wire.Version),
		"interface":                                           interfaceOf.Info.Version,
	} {
		if row := fmt.Sprintf("\n| %s | %s |", format, writes); !strings.Contains(newest, row) {
			t.Errorf("the newest section of upgrade.md (%s) has no row %q: if a release was made with the present row, add a section for the next one; else correct the row", strings.SplitN(newest, "\n", 2)[0], strings.TrimSpace(row))
		}
	}
}
