package archtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// layer is one layer of the architecture (architecture.md, 'Layers'). Packages
// import what stands in the layers before their own. "a/..." means a and everything
// below it; the longest pattern decides where a package belongs.
type layer struct {
	name     string
	packages []string
	separate bool // its packages don't import each other, except what lies in their own folder
}

var layers = []layer{
	{"shared", []string{"shared/..."}, false},
	{"the RD protocol", []string{"rdservice", "rdservice/rdcrypto"}, false},
	{"messages", []string{"edge/api", "central/bank/network", "central/store/dbconn"}, true},
	{"roots", []string{"central", "edge"}, true},
	{"services", []string{
		"central/accounts", "central/api/...", "central/cache", "central/commission", "central/docs/...", "central/iin", "central/jobs", "central/keys", "central/limits",
		"central/payments", "central/ratelimit", "central/store/dbconn", "central/reconcile", "central/recovery", "central/reports", "central/retention", "central/rulefile", "central/selfservice", "central/staff", "central/telemetry", "central/transparency", "central/updates", "central/webhook",
		"edge/aadhaarqr/...", "edge/cashbook", "edge/doctor", "edge/i18n/...", "edge/ifsc", "edge/outcome", "edge/printing/...", "edge/speech", "edge/telemetry", "edge/update/...", "edge/users",
		"installers", "installers/publish",
	}, false},
	{"adapters", []string{"central/store/...", "central/bank", "central/s3", "edge/queue/...", "edge/uplink", "edge/reader"}, true},
	{"entrances", []string{"central/httpapi", "central/gateway", "central/uplink", "central/console", "edge/ui"}, true},
	{"sections of the counter", []string{"edge/ui/..."}, true},
	{"composition", []string{"central/admincli", "central/server", "edge/daemon"}, false},
	{"the sandbox", []string{"central/bank/simbank/...", "rdservice/rdsim"}, false},
	{"programs", []string{"central/cmd/...", "edge/cmd/...", "rdservice/cmd/...", "installers/..."}, false},
	{"deploy", []string{"deploy/..."}, false},
}

// never are imports that the order of the layers would allow. A side is a pattern of
// packages, or the name of a layer.
var never = []struct{ from, to, why string }{
	{"edge/...", "central/...", "the two halves meet on the wire only"},
	{"central/...", "edge/...", "the two halves meet on the wire only"},
	{"rdservice/...", "edge/...", "the RD protocol serves other programs too"},
	{"rdservice/...", "central/...", "the RD protocol serves other programs too"},
	{"central/bank/simbank/...", "central", "the sandbox bank is another party's program"},
	{"entrances", "adapters", "an entrance calls a service, which declares the interface of a store or a bank"},
	{"sections of the counter", "adapters", "a page calls edge, which declares the interface of the queue"},
}

// allowed are single imports against the order, each with its reason.
var allowed = map[string]string{
	"central/cmd/galla-central deploy/docs":     "the program serves the handbook's pages",
	"central/cmd/galla-call deploy/sdk/stories": "the program plays the ready stories",
}

// moduleRule says where a module may be used by code, and why there only. Tests may
// use every module that has a line.
type moduleRule struct {
	module   string
	packages []string
	why      string
}

// modules are the third-party modules. A new one enters by a line here.
var modules = []moduleRule{
	{"github.com/google/uuid", []string{"shared/op", "shared/telemetry", "central/...", "edge/..."}, "ids"},
	{"github.com/go-json-experiment/json", []string{"shared/wire", "central/...", "edge/...", "installers/publish"}, "strict JSON on money paths; the roots of the halves have no JSON at all"},

	{"github.com/gofiber/fiber/v2", []string{"central/httpapi"}, "the HTTP framework stays behind one entrance"},
	{"github.com/valyala/fasthttp", []string{"central/httpapi"}, "the engine of fiber"},
	{"github.com/gorilla/websocket", []string{"central/uplink", "edge/uplink", "shared/wsconn"}, "WebSocket, at the two ends of the uplink"},
	{"github.com/mattn/go-sqlite3", []string{"central/store/sqlite", "central/bank/simbank/..."}, "SQLite: SQL is written where the databases are"},
	{"github.com/jackc/pgx/v5", []string{"central/store/...", "deploy/ha"}, "PostgreSQL: SQL is written where the databases are"},
	{"github.com/pressly/goose/v3", []string{"central/store", "central/bank/simbank/..."}, "migrations run where the databases are"},
	{"go.etcd.io/bbolt", []string{"edge/queue"}, "the queue on the counter's disk: one package owns its file"},
	{"github.com/tarm/serial", []string{"edge/printing/printer"}, "printers at a serial port: an unmaintained library stays behind the printer's interface"},
	{"github.com/boombuler/barcode", []string{"shared/theme"}, "QR codes are drawn in one place"},
	{"github.com/golang-jwt/jwt/v5", []string{"central/httpapi", "central/uplink", "edge/uplink"}, "tokens are made and checked at the entrances"},
	{"golang.org/x/crypto", []string{"shared/password"}, "argon2id of client secrets, PINs and passwords"},
	{"github.com/pquerna/otp", []string{"central/staff"}, "the second factor of the staff"},
	{"golang.org/x/time", []string{"central/gateway", "central/ratelimit", "central/uplink"}, "rates are limited at the entrances"},
	{"github.com/cenkalti/backoff/v5", []string{"central/bank/simbank", "edge/uplink", "deploy/..."}, "the uplink reconnects; money is never retried by a library"},
	{"github.com/prometheus/client_golang", []string{"central/server", "central/telemetry"}, "metrics leave through the admin address"},
	{"go.opentelemetry.io/otel", []string{"shared/telemetry"}, "one package sends the spans of both halves"},
	{"go.opentelemetry.io/proto/otlp", nil, "what a collector reads, in tests"},
	{"google.golang.org/protobuf", nil, "what a collector reads, in tests"},
	{"github.com/minio/minio-go/v7", []string{"central/s3"}, "one package writes into S3-compatible buckets"},
	{"golang.org/x/sync", []string{"central/server", "edge/daemon"}, "errgroup, where parts are run side by side"},
	{"github.com/theupdateframework/go-tuf/v2", []string{"edge/update/release", "edge/update", "installers/publish"}, "the library alone verifies updates"},
	{"github.com/sigstore/sigstore", []string{"installers/publish"}, "the signers that go-tuf takes"},
	{"github.com/secure-systems-lab/go-securesystemslib", []string{"installers/publish"}, "the publishers' keys on disk, in the format of other TUF tools"},
	{"github.com/gofrs/flock", []string{"shared/files"}, "one way to lock files"},
	{"golang.org/x/term", []string{"central/cmd/galla-central", "installers/cmd/galla-release"}, "passwords and passphrases are typed without echo"},
	{"github.com/BurntSushi/toml", []string{"shared/settings"}, "one package reads the settings file"},
	{"github.com/alecthomas/kong", []string{"shared/settings", "central/cmd/...", "edge/cmd/...", "rdservice/cmd/...", "installers/cmd/...", "deploy/..."}, "command lines belong to commands"},
	{"github.com/kardianos/service", []string{"edge/cmd/galla-edge"}, "the counter is a service of Windows"},
	{"golang.org/x/sys", []string{"central/cmd/galla-central", "edge/cmd/galla-edge", "edge/update/launcher", "edge/update/releases"}, "system calls: access lists and job objects of Windows, free disk space, a terminal without echo"},
	{"gopkg.in/natefinch/lumberjack.v2", []string{"edge/cmd/galla-edge"}, "a service of Windows has no journal: its log is a file of bounded size"},
	{"github.com/go-text/typesetting", []string{"edge/printing/raster"}, "shaping of Indian scripts, for paper only"},
	{"golang.org/x/image", []string{"edge/printing/raster"}, "fonts: one package turns outlines into dots"},
	{"golang.org/x/text", []string{"edge/i18n/...", "edge/printing/escpos"}, "languages and scripts for people, and the code page of printers"},
	{"golang.org/x/mod", []string{"central/transparency", "edge/update/release", "shared/checkpoint"}, "the tree and the signatures of the log; the order of versions; in tests also go.mod"},
	{"github.com/yuin/goldmark", []string{"central/docs"}, "one package turns Markdown into pages"},
	{"github.com/nicksnyder/go-i18n/v2", []string{"edge/i18n/..."}, "the texts of six languages, and their plural forms"},

	{"github.com/google/licensecheck", nil, "the licences of the modules, for deploy/docs/dependencies.md"},
	{"pgregory.net/rapid", nil, "property tests"},
	{"go.uber.org/goleak", nil, "goroutine leaks in tests"},
	{"github.com/standard-webhooks/standard-webhooks/libraries", nil, "the independent verifier of callbacks' signatures"},
	{"github.com/johannesboyne/gofakes3", nil, "an S3 server, in tests"},
	{"github.com/getkin/kin-openapi", nil, "the independent validator of the OpenAPI document"},
	{"github.com/chromedp/chromedp", []string{"edge/ui/uitest"}, "browser tests, and the package that serves them"},
	{"github.com/chromedp/cdproto", []string{"edge/ui/uitest"}, "browser tests, and the package that serves them"},
}

// restricted are packages of the standard library that code may use only where
// a line says so.
var restricted = []moduleRule{
	{"encoding/json", []string{"shared/secret", "shared/partner/...", "edge", "edge/daemon", "edge/i18n", "edge/ui/uitest", "rdservice/...", "deploy/..."}, "version 1 takes duplicate keys and keys in the wrong case: the central reads and writes with go-json-experiment/json; shared/partner serves programs that have the standard library only"},
	{"crypto/rand", []string{"central/cmd/...", "edge/cmd/...", "rdservice/cmd/...", "installers/cmd/...", "rdservice/rdcrypto", "edge/ui"}, "randomness is an injected io.Reader that main chooses, so that a test can play a run again"},
	{"log", nil, "logs go through an injected *slog.Logger"},
	{"math/rand", nil, "randomness is an injected io.Reader; math/rand/v2 over a given source serves for jitter"},
	{"io/ioutil", nil, "os and io have it all"},
	{"encoding/gob", nil, "data that is stored or sent must be readable for people and for other programs"},
	{"plugin", nil, "programs are linked statically"},
	{"net/http/pprof", nil, "it registers itself on a global mux"},
	{"expvar", nil, "it registers itself on a global mux"},
}

func TestLayers(t *testing.T) { enforce(t, imports) }

// imports checks every import against the layers and the tables of modules. Tests may
// also import their own half, shared and rdservice; those of deploy everything.
func imports(r *repo) []string {
	var out []string
	for _, pkg := range r.packages() {
		if layerOf(pkg) < 0 {
			out = append(out, fmt.Sprintf("%s has no layer: add it to layers in shared/archtest/layers_test.go.", pkg))
		}
	}
	for _, f := range r.files {
		for _, spec := range f.ast.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if why := checkImport(f, p); why != "" {
				out = append(out, r.at(f, spec)+" imports "+p+": "+why)
			}
		}
	}
	return out
}

// checkImport says why a file may not import a package; empty: it may.
func checkImport(f *file, p string) string {
	first, _, _ := strings.Cut(p, "/")
	switch {
	case first == module:
		return checkLayer(f, strings.TrimPrefix(p, module+"/"))
	case strings.Contains(first, "."):
		return checkModule(f, p)
	}
	for _, g := range restricted {
		if g.module == p && !f.test && !under(f.pkg, g.packages) {
			return "code here does not use it: " + g.why
		}
	}
	return ""
}

// layerOf gives a package's place in layers; -1: none.
func layerOf(pkg string) int {
	longest, at := -1, -1
	for i, l := range layers {
		for _, p := range l.packages {
			n := len(p)
			if !strings.HasSuffix(p, "/...") {
				n += 1000
			}
			if under(pkg, []string{p}) && n > longest {
				longest, at = n, i
			}
		}
	}
	return at
}

// browserTests is the package that drives a real browser, for the tests of both halves.
const browserTests = "edge/ui/uitest"

func checkLayer(f *file, to string) string {
	from, target := layerOf(f.pkg), layerOf(to)
	switch {
	case from < 0 || target < 0 || f.pkg == to || allowed[f.pkg+" "+to] != "" || layers[from].name == "deploy":
		return ""
	case f.test && (topFolder(to) == topFolder(f.pkg) || to == browserTests || under(to, []string{"shared/...", "rdservice/..."})):
		return ""
	case under(f.pkg, []string{"installers/installtest"}):
		return "" // tests only, of both halves
	}
	for _, n := range never {
		if (under(f.pkg, []string{n.from}) || layers[from].name == n.from) && (under(to, []string{n.to}) || layers[target].name == n.to) {
			return n.why
		}
	}
	switch {
	case target > from:
		return fmt.Sprintf("%s are below %s, and imports go from the outside in; declare an interface, or move the code", layers[from].name, layers[target].name)
	case target == from && layers[from].separate && !strings.HasPrefix(to, f.pkg+"/"):
		return fmt.Sprintf("two of the %s don't import each other; what both need stands once, in a layer below", layers[from].name)
	}
	return ""
}

func checkModule(f *file, p string) string {
	g := moduleRuleOf(p)
	switch {
	case g == nil:
		return "the module has no line: a dependency has to be kept up to date for years. If it is needed, add it to modules in shared/archtest/layers_test.go with the package that uses it and the reason"
	case f.test || under(f.pkg, g.packages):
		return ""
	case f.pkg == "central" || f.pkg == "edge":
		return "the root of a half has no third-party imports: declare an interface here, and use the module behind it"
	case len(g.packages) == 0:
		return "it serves tests only (" + g.why + ")"
	}
	return fmt.Sprintf("it may be used only in %s: %s", strings.Join(g.packages, ", "), g.why)
}

func moduleRuleOf(p string) *moduleRule {
	for i := range modules {
		if m := modules[i].module; p == m || strings.HasPrefix(p, m+"/") {
			return &modules[i]
		}
	}
	return nil
}

// topFolder is the first folder of a package.
func topFolder(pkg string) string {
	top, _, _ := strings.Cut(pkg, "/")
	return top
}

// pinned are modules of which only certain versions will do.
var pinned = []struct {
	module   string
	versions []string
	why      string
}{
	{"github.com/valyala/fasthttp", []string{"v1.77.0"}, "the version that fiber asks for accepts request-smuggling shapes; the tests of httpapi ran with this one"},
}

func TestPinnedModules(t *testing.T) { enforce(t, pins) }

// pins checks go.mod for the versions that were tested.
func pins(h *repo) []string {
	var out []string
	for _, p := range pinned {
		found := ""
		for _, l := range strings.Split(h.texts["go.mod"], "\n") {
			if fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(l), "require ")); len(fields) >= 2 && fields[0] == p.module {
				found = fields[1]
			}
		}
		if !contains(p.versions, found) {
			out = append(out, fmt.Sprintf("go.mod requires %s %q, but it must be one of %s: %s.", p.module, found, strings.Join(p.versions, ", "), p.why))
		}
	}
	return out
}
