package archtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// line is one line of the import map: a room, and the rooms its code may
// import. "a/..." means a and everything below it. The standard library is
// open to all, but for the lines of restricted below.
type line struct {
	room    string
	imports []string
}

// everyone is what the rooms of both halves may import.
const everyone = "shared/..."

// importMap says who may import whom (architecture.md). Roots and shared know
// nothing but shared; neighbours know their root and never each other; the
// composition knows all of its half; deploy knows the whole house.
var importMap = []line{
	{"shared/archtest", nil},
	{"shared/bug", nil},
	{"shared/envelope", []string{"shared/secret"}},
	{"shared/chart", nil},
	{"shared/freeport", nil},
	{"shared/localname", []string{"shared/seal"}},
	{"shared/look", nil},
	{"shared/money", nil},
	{"shared/op", nil},
	{"shared/printable", nil},
	{"shared/password", []string{"shared/secret"}},
	{"shared/partner", []string{"shared/envelope", "shared/secret"}},
	{"shared/seal", []string{"shared/secret"}},
	{"shared/secret", nil},
	{"shared/settings", nil},
	{"shared/smalldisk", nil},
	{"shared/trace", []string{"shared/op"}},
	{"shared/wire", []string{"shared/op"}},

	{"central", []string{"central/enquiry", "central/guess", "central/refno", "central/worker", everyone}},
	{"central/enquiry", nil},
	{"central/guess", []string{"shared/op", "shared/secret"}},
	{"central/refno", nil},
	{"central/worker", nil},
	{"central/settle", []string{"central", everyone}},
	{"central/operator", []string{"central", "central/duty", everyone}},
	{"central/console", []string{"central", "central/duty", "central/operator", "central/settle", everyone}},
	{"central/console/estate", []string{"central", "central/console", "central/customer", "central/duty", "central/iin", "central/operator", "central/parties", everyone}},
	{"central/parties", []string{"central", "central/duty", "central/form", everyone}},
	{"central/customer", []string{"central", everyone}},
	{"central/store", []string{"central", "central/customer", "central/duty", "central/operator", "central/parties", "central/settle", "central/store/postgres", "central/store/sqlite", everyone}},
	{"central/store/pgtest", []string{"shared/freeport"}},
	{"central/store/postgres", []string{"central", everyone}},
	{"central/duty", []string{"central", "central/worker", everyone}},
	{"central/callback", []string{"central", "central/duty", "central/worker", everyone}},
	{"central/store/sqlite", []string{"central", everyone}},
	{"central/contract", []string{"central", "central/customer", "central/dmt", "central/form", "central/iin", "central/upi", everyone}},
	{"central/upi", []string{everyone}},
	{"central/dmt", []string{"central", "central/form", everyone}},
	{"central/form", []string{"central", "central/iin", everyone}},
	{"central/keep", []string{"central", "central/duty", everyone}},
	{"central/limits", []string{"central", everyone}},
	{"central/commission", []string{"central", everyone}},
	{"central/openapi", []string{"central", "central/contract", "central/form", everyone}},
	{"central/iin", []string{everyone}},
	{"central/door", []string{"central", "central/duty", everyone}},
	{"central/gateway", []string{"central", "central/duty", everyone}},
	{"central/uplink", []string{"central", "central/duty", everyone}},
	{"central/bank/network", []string{everyone}},
	{"central/bank", []string{"central", "central/bank/network", everyone}},
	{"central/bank/simbank", []string{"central/bank/network", "central/bank/simbank/books", "central/bank/simbank/services", everyone}},
	{"central/bank/simbank/services", []string{"central/bank/network", "central/bank/simbank/books", everyone}},
	{"central/bank/simbank/books", []string{"central/bank/network", "rdservice/rdcrypto", everyone}},
	{"central/guide", []string{everyone}},
	{"central/handbook", nil},
	{"central/credential", []string{everyone}},
	{"central/watch", []string{"central", "central/iin", everyone}},
	{"central/offer", nil},
	{"central/office", []string{"central/...", everyone}},
	{"central/server", []string{"central/...", everyone}},
	{"central/cmd/galla-central", []string{"central/server", "central/office", "deploy/docs", "installers", everyone}}, // deploy/docs: the pages that it serves, and nothing of deploy's tests
	{"central/cmd/galla-call", []string{everyone}},
	{"central/cmd/galla-bank", []string{"central/bank/network", "central/bank/simbank", "rdservice/rdcrypto", everyone}},

	{"edge", []string{"edge/message", everyone}},
	{"edge/message", []string{everyone}},
	{"edge/queue", []string{"edge", "edge/queue/disk", "edge/queue/index", "edge/queue/pages", "edge/queue/stored", everyone}},
	{"edge/queue/disk", nil},
	{"edge/queue/index", []string{"edge", everyone}},
	{"edge/queue/stored", []string{"edge", everyone}},
	{"edge/queue/pages", nil},
	{"edge/uplink", []string{"edge", everyone}},
	{"edge/words", []string{everyone}},
	{"edge/cashbook", []string{"edge", everyone}},
	{"edge/told", []string{"edge", "edge/cashbook", "edge/codes", "edge/words", everyone}},
	{"edge/web", []string{"edge", "edge/cashbook", "edge/told", "edge/words", everyone}},
	{"edge/web/webtest", []string{"edge", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/till", []string{"edge", "edge/cashbook", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/truth", []string{"edge", "edge/till", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/screen", []string{"edge", "edge/cashbook", "edge/people", "edge/till", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/people", []string{"edge", everyone}},
	{"edge/crew", []string{"edge", "edge/people", "edge/web", "edge/web/webtest", "edge/words", everyone}},
	{"edge/send", []string{"edge", "edge/cashbook", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/shop", []string{"edge", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/customer", []string{"edge", "edge/told", "edge/web", "edge/words", everyone}},
	{"edge/receipt", []string{"edge", "edge/cashbook", "edge/codes", "edge/escpos", "edge/told", "edge/typeset", "edge/words", everyone}},
	{"edge/codes", []string{everyone}},
	{"edge/escpos", []string{everyone}},
	{"edge/typeset", []string{"edge/escpos", everyone}},
	{"edge/printer", []string{"edge/escpos", everyone}},
	{"edge/paper", []string{"edge", "edge/printer", "edge/receipt", "edge/told", "edge/typeset", "edge/web", "edge/words", everyone}},
	{"edge/device", []string{"edge", "rdservice", everyone}},
	{"edge/doctor", []string{"rdservice", everyone}},
	{"edge/help", []string{"edge/codes", "edge/web", "edge/words", "rdservice", everyone}},
	{"edge/readers", []string{"edge", "edge/web", "edge/words", "rdservice", everyone}},
	{"edge/watch", []string{"edge", everyone}},
	{"edge/release", nil},
	{"edge/shelf", []string{"edge/publish", "edge/release"}},
	{"edge/update", []string{"edge", "edge/publish", "edge/release", "edge/shelf", "edge/web", "edge/web/webtest", "edge/words", everyone}},
	{"edge/parent", []string{"edge/publish", "edge/release", "edge/shelf"}},
	{"edge/publish", []string{"edge/release", everyone}},
	{"edge/daemon", []string{"edge/...", "rdservice", everyone}},
	{"edge/cmd/galla-edge", []string{"edge/daemon", "edge/doctor", "edge/parent", "edge/queue", "edge/release", "edge/shelf", "edge/update", "rdservice", "installers", everyone}},
	{"edge/cmd/galla-release", []string{"edge/publish", "edge/queue", "edge/release", everyone}},

	{"rdservice", nil},
	{"rdservice/rdcrypto", nil},
	{"rdservice/rdsim", []string{"rdservice", "rdservice/rdcrypto"}},
	{"rdservice/cmd/galla-rdsim", []string{"rdservice", "rdservice/rdcrypto", "rdservice/rdsim", "shared/settings"}},

	{"installers", nil},
	{"installers/installtest", []string{"..."}},

	{"deploy/local", []string{"..."}},
	{"deploy/local/house", []string{"..."}},
	{"deploy/local/supervise", nil},
	{"deploy/sim", []string{"..."}},
	{"deploy/model", []string{"central", "edge", "shared/op"}},
	{"deploy/bugs", []string{"..."}},
	{"deploy/e2e", []string{"..."}},
	{"deploy/uplinktest", []string{"..."}},
	{"deploy/contracttest", []string{"..."}},
	{"deploy/nodestest", []string{"..."}},
	{"deploy/examples", []string{"shared/..."}},
	{"deploy/guide", nil},
	{"deploy/compose", []string{"central/server"}},
	{"deploy/container", nil},
	{"deploy/ha", nil},
	{"deploy/docs", nil},
	{"deploy/watch", []string{"central/server"}},
}

// grant says where a module may be used by code, and why there only. Tests may
// use every module that has a line.
type grant struct {
	module string
	rooms  []string
	why    string
}

// modules is the other half of the map: third-party modules. A module enters
// the house by a line here.
var modules = []grant{
	{"github.com/google/uuid", []string{"shared/op", "shared/trace", "central/...", "edge/..."}, "ids"},
	{"github.com/go-json-experiment/json", []string{"shared/wire", "central/...", "edge/..."}, "strict JSON on money paths (stack.md); the roots of the halves have no JSON at all"},

	{"github.com/gofiber/fiber/v2", []string{"central/door"}, "the HTTP framework and its traps (stack.md) stay behind one door"},
	{"github.com/valyala/fasthttp", []string{"central/door"}, "fiber's engine, and nobody else's business"},
	{"github.com/gorilla/websocket", []string{"central/uplink", "edge/uplink"}, "the two ends of the uplink"},
	{"github.com/mattn/go-sqlite3", []string{"central/store/sqlite", "central/bank/simbank/..."}, "SQL is written where the databases are"},
	{"github.com/jackc/pgx/v5", []string{"central/store/...", "deploy/ha"}, "SQL is written where the databases are"},
	{"github.com/pressly/goose/v3", []string{"central/store", "central/bank/simbank/..."}, "migrations run where the databases are"},
	{"go.etcd.io/bbolt", []string{"edge/queue"}, "the counter's durable memory is one room"},
	{"github.com/tarm/serial", []string{"edge/printer"}, "an unmaintained library with traps (stack.md) stays behind the printer's interface"},
	{"github.com/skip2/go-qrcode", []string{"central/console", "edge/escpos", "edge/screen", "edge/shop", "central/upi"}, "pictures of QR codes for people"},
	{"github.com/golang-jwt/jwt/v5", []string{"central/door", "central/uplink", "edge/uplink"}, "tokens are made and checked at the doors"},
	{"golang.org/x/crypto", []string{"central/door", "shared/password"}, "argon2id of client secrets, PINs and passwords"},
	{"github.com/pquerna/otp", []string{"central/operator"}, "the operators' second factor"},
	{"golang.org/x/time", []string{"central/door", "central/duty", "central/uplink"}, "rates are limited at the doors"},
	{"github.com/cenkalti/backoff/v5", []string{"central/bank/simbank", "edge/uplink", "deploy/..."}, "the line reconnects; money is never retried by a library"},
	{"github.com/prometheus/client_golang", []string{"central/server", "central/watch"}, "metrics leave through the admin address"},
	{"go.opentelemetry.io/otel", []string{"shared/trace"}, "spans of both halves leave by one room; nobody else knows the library"},
	{"go.opentelemetry.io/proto/otlp", nil, "what a collector reads, in tests"},
	{"google.golang.org/protobuf", nil, "what a collector reads, in tests"},
	{"golang.org/x/sync", []string{"central/server", "edge/daemon"}, "errgroup, where parts are run side by side"},
	{"github.com/theupdateframework/go-tuf/v2", []string{"edge/release", "edge/update", "edge/publish"}, "what is offered as an update is proved by the library, and by nothing else"},
	{"github.com/sigstore/sigstore", []string{"edge/publish"}, "the signers that go-tuf takes"},
	{"github.com/secure-systems-lab/go-securesystemslib", []string{"edge/publish"}, "the publishers' keys at rest, sealed as other tools of TUF seal theirs"},
	{"golang.org/x/term", []string{"edge/cmd/galla-release"}, "a passphrase is typed unseen"},
	{"github.com/BurntSushi/toml", []string{"shared/settings"}, "the file of settings is read in one room"},
	{"github.com/alecthomas/kong", []string{"shared/settings", "central/cmd/...", "edge/cmd/...", "rdservice/cmd/...", "deploy/..."}, "command lines belong to commands"},
	{"github.com/kardianos/service", []string{"edge/cmd/galla-edge"}, "the counter is a service of Windows"},
	{"golang.org/x/sys", []string{"central/cmd/galla-central", "edge/cmd/galla-edge", "edge/parent", "edge/shelf"}, "what only one system has: Windows' lists of who may open a folder, jobs that end with their maker, the room of a disk, a terminal that does not show a password"},
	{"gopkg.in/natefinch/lumberjack.v2", []string{"edge/cmd/galla-edge"}, "a service of Windows has no journal: its log is a file that is bounded"},
	{"github.com/go-text/typesetting", []string{"edge/typeset"}, "shaping of Indian scripts, for paper only"},
	{"golang.org/x/image", []string{"edge/typeset"}, "outlines become dots in one room"},
	{"golang.org/x/text", []string{"edge/words"}, "languages and scripts for people"},
	{"github.com/yuin/goldmark", []string{"central/handbook"}, "Markdown becomes pages in one room"},
	{"github.com/nicksnyder/go-i18n/v2", []string{"edge/words"}, "the texts of six languages, and their plural forms"},

	{"pgregory.net/rapid", nil, "property tests"},
	{"go.uber.org/goleak", nil, "goroutine leaks in tests"},
	{"github.com/standard-webhooks/standard-webhooks/libraries", nil, "the independent verifier of callbacks' signatures"},
	{"github.com/getkin/kin-openapi", nil, "the independent validator of the OpenAPI document"},
	{"github.com/chromedp/chromedp", []string{"edge/web/webtest"}, "browser tests, and the room that serves them"},
	{"github.com/chromedp/cdproto", []string{"edge/web/webtest"}, "browser tests, and the room that serves them"},
}

// restricted are packages of the standard library that code may use only where
// a line says so.
var restricted = []grant{
	{"encoding/json", []string{"shared/secret", "shared/partner", "edge", "edge/daemon", "edge/words", "rdservice/...", "deploy/..."}, "version 1 takes duplicate keys and keys in the wrong case: the central reads and writes with go-json-experiment/json (stack.md); shared/partner serves programs that have the standard library only"},
	{"crypto/rand", []string{"central/cmd/...", "edge/cmd/...", "rdservice/cmd/...", "rdservice/rdcrypto", "edge/web"}, "randomness is an injected io.Reader that main chooses, so that a test can play a run again"},
	{"log", nil, "logs go through an injected *slog.Logger"},
	{"math/rand", nil, "randomness is an injected io.Reader; math/rand/v2 over a given source serves for jitter"},
	{"io/ioutil", nil, "os and io have it all"},
	{"encoding/gob", nil, "what is stored or sent has a form that a person can read and another program can write"},
	{"plugin", nil, "the house is linked statically"},
	{"net/http/pprof", nil, "it registers itself on a global mux"},
	{"expvar", nil, "it registers itself on a global mux"},
}

func TestImportMap(t *testing.T) { enforce(t, imports) }

// imports holds every import against the map.
func imports(h *house) []string {
	var out []string
	for _, room := range h.rooms() {
		if lineOf(room) == nil {
			out = append(out, fmt.Sprintf("%s is a new room without a line in the import map: add one to importMap in shared/archtest/map_test.go, with the rooms it may import, and a line to architecture.md if people should find it there.", room))
		}
	}
	for _, f := range h.files {
		l := lineOf(f.room)
		if l == nil {
			continue
		}
		for _, spec := range f.ast.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if s := judge(f, *l, p); s != "" {
				out = append(out, h.at(f, spec)+" "+s)
			}
		}
	}
	return out
}

func lineOf(room string) *line {
	for i := range importMap {
		if importMap[i].room == room {
			return &importMap[i]
		}
	}
	return nil
}

// judge gives a sentence where a file of a room may not import a package.
func judge(f *file, l line, p string) string {
	first, _, _ := strings.Cut(p, "/")
	switch {
	case first == module:
		return judgeRoom(f, l, strings.TrimPrefix(p, module+"/"))
	case strings.Contains(first, "."):
		return judgeModule(f, p)
	}
	for _, g := range restricted {
		if g.module == p && !f.test && !under(f.room, g.rooms) {
			return fmt.Sprintf("imports %s, which code here does not use: %s.", p, g.why)
		}
	}
	return ""
}

// browserTests is the room that looks at pages in a real browser, for the tests
// of every half.
const browserTests = "edge/web/webtest"

func judgeRoom(f *file, l line, target string) string {
	if under(target, l.imports) || contains(l.imports, "...") || target == f.room {
		return ""
	}
	half := halfOf(f.room)
	if f.test && (halfOf(target) == half || target == browserTests || under(target, []string{"shared/...", "rdservice/..."})) {
		return ""
	}
	may := "nothing of the house"
	if len(l.imports) > 0 {
		may = "only " + strings.Join(l.imports, ", ")
	}
	why := "Neighbours never import each other: declare the small interface that you need, and let the composition join the two"
	switch other := halfOf(target); {
	case half == "shared":
		why = "What both halves speak must know neither of them: move what you need to the half that uses it"
	case half == "rdservice":
		why = "The RD protocol stands by itself, so that it can serve other programs: take what you need as a parameter"
	case other == "deploy":
		why = "deploy looks at the house, the house does not look at deploy: move the code into the house"
	case (half == "edge" || half == "central") && (other == "edge" || other == "central") && half != other:
		why = "The two halves meet only on the wire: what both need belongs into shared, the rest is said in frames"
	case f.room == half:
		why = "The root of a half declares interfaces and its neighbours implement them: declare one here"
	}
	return fmt.Sprintf("imports %s/%s, but %s may import %s. %s. If the map itself is wrong, change its line in shared/archtest/map_test.go and architecture.md.", module, target, l.room, may, why)
}

func judgeModule(f *file, p string) string {
	g := grantOf(p)
	switch {
	case g == nil:
		return fmt.Sprintf("imports %s, a module without a line: a dependency is a promise to follow its faults for years. If the house needs it, add it to modules in shared/archtest/map_test.go with the one room that uses it and the reason.", p)
	case f.test || under(f.room, g.rooms):
		return ""
	case f.room == "central" || f.room == "edge":
		return fmt.Sprintf("imports %s, but the root of a half has no third-party imports: declare an interface here and use the module in the room behind it.", p)
	case len(g.rooms) == 0:
		return fmt.Sprintf("imports %s, which serves tests only (%s).", p, g.why)
	}
	return fmt.Sprintf("imports %s, which may be used only in %s: %s. Call that room through an interface, or change the line of the module in shared/archtest/map_test.go.", p, strings.Join(g.rooms, ", "), g.why)
}

func grantOf(p string) *grant {
	for i := range modules {
		if m := modules[i].module; p == m || strings.HasPrefix(p, m+"/") {
			return &modules[i]
		}
	}
	return nil
}

// halfOf is the first folder of a room.
func halfOf(room string) string {
	half, _, _ := strings.Cut(room, "/")
	return half
}

// pinned are modules of which only certain versions will do.
var pinned = []struct {
	module   string
	versions []string
	why      string
}{
	{"github.com/valyala/fasthttp", []string{"v1.69.0", "v1.74.0"}, "the version that fiber asks for lets request-smuggling shapes through, and 1.76 and later do not resolve (stack.md)"},
}

func TestPinnedModules(t *testing.T) { enforce(t, pins) }

// pins holds go.mod against the versions that were measured.
func pins(h *house) []string {
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
