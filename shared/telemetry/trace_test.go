package telemetry

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"galla/shared/op"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeCollector is a collector: what it received, decoded by the protocol's own
// types.
type fakeCollector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*spans.Span
	names map[string]string // of services, by what they said of themselves
	down  bool
	wrong []string
}

func startCollector(t *testing.T) *fakeCollector {
	t.Helper()
	c := &fakeCollector{names: map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.down {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body, err := io.ReadAll(r.Body)
		var message collector.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(body, &message)); err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
			c.wrong = append(c.wrong, r.Method+" "+r.URL.Path)
			return
		}
		for _, resource := range message.GetResourceSpans() {
			for _, a := range resource.GetResource().GetAttributes() {
				c.names[a.GetKey()] = a.GetValue().GetStringValue()
			}
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// newExporter gives an exporter to the collector, and what ends it.
func newExporter(t *testing.T, endpoint string, share float64, log *slog.Logger) (*Exporter, func()) {
	t.Helper()
	e, err := New(t.Context(), Config{Service: "galla-test", Version: "v1", Endpoint: endpoint, Share: share, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	return e, sync.OnceFunc(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

const one op.ID = "0192d3a0-7c1e-7b3a-8f4e-1a2b3c4d5e6f"

// TestSpansReachTheCollector: what was recorded arrives as recorded, under the
// operation's id, each span below its parent.
func TestSpansReachTheCollector(t *testing.T) {
	c := startCollector(t)
	e, stop := newExporter(t, c.URL+"/", 1, slog.New(slog.DiscardHandler))
	defer stop()
	begun := time.UnixMilli(1_700_000_000_123)
	e.Record(Span{Operation: one, Step: Root, Name: "press", Start: begun, End: begun.Add(time.Second)})
	e.Record(Span{Operation: one, Step: Uplink, Parent: Root, Kind: Client, Name: "uplink", Start: begun, End: begun.Add(time.Second)})
	e.Record(Span{
		Operation: one, Step: Call, Parent: Uplink, Kind: Server, Name: "call", Start: begun, End: begun.Add(time.Second), Failed: true,
		Route: op.Withdrawal, Outcome: "fault", Entrance: "uplink", Node: "north", HTTP: 500, BankKind: "CASH_WITHDRAWAL", Code: "91",
	})
	e.Record(Span{Step: Root, Name: "of no operation", Start: begun, End: begun})
	e.Record(Span{Operation: "not an id", Step: Root, Name: "of no operation", Start: begun, End: begun})
	stop()

	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) > 0 || len(c.spans) != 3 || c.names["service.name"] != "galla-test" || c.names["service.version"] != "v1" {
		t.Fatalf("received %d spans of %v, and wrong %v", len(c.spans), c.names, c.wrong)
	}
	parent := []byte(nil)
	for _, s := range c.spans {
		if got := hex.EncodeToString(s.GetTraceId()); got != strings.ReplaceAll(string(one), "-", "") {
			t.Errorf("the trace of operation %s is %s", one, got)
		}
		if string(s.GetParentSpanId()) != string(parent) {
			t.Errorf("%s stands below %x, want %x", s.GetName(), s.GetParentSpanId(), parent)
		}
		parent = s.GetSpanId()
		if s.GetStartTimeUnixNano() != uint64(begun.UnixNano()) || s.GetEndTimeUnixNano()-s.GetStartTimeUnixNano() != uint64(time.Second) {
			t.Errorf("%s lasts from %d to %d", s.GetName(), s.GetStartTimeUnixNano(), s.GetEndTimeUnixNano())
		}
	}
	call := c.spans[2]
	if call.GetKind() != spans.Span_SPAN_KIND_SERVER || call.GetStatus().GetCode() != spans.Status_STATUS_CODE_ERROR {
		t.Errorf("the call is %v, %v", call.GetKind(), call.GetStatus())
	}
	want := map[string]string{
		"galla.operation": string(one), "galla.route": "POST /aeps/withdrawal", "galla.outcome": "fault", "galla.entrance": "uplink",
		"galla.node": "north", "galla.bank.kind": "CASH_WITHDRAWAL", "galla.bank.code": "91",
	}
	for _, a := range call.GetAttributes() {
		if a.GetKey() == "http.response.status_code" && a.GetValue().GetIntValue() == 500 {
			continue
		}
		if want[a.GetKey()] != a.GetValue().GetStringValue() {
			t.Errorf("attribute %s is %v", a.GetKey(), a.GetValue())
		}
		delete(want, a.GetKey())
	}
	if len(want) > 0 {
		t.Errorf("attributes are missing: %v", want)
	}
}

// logLevels counts lines of a log by their level.
type logLevels struct {
	slog.Handler
	mu     sync.Mutex
	levels []slog.Level
}

func (c *logLevels) Handle(_ context.Context, r slog.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.levels = append(c.levels, r.Level)
	return nil
}

// TestACollectorThatIsAway holds nothing up: what is recorded meanwhile is
// dropped above the bound, the log says so once, and the end comes in time.
func TestACollectorThatIsAway(t *testing.T) {
	c := startCollector(t)
	c.down = true
	said := &logLevels{Handler: slog.DiscardHandler}
	said.Handler = slog.NewTextHandler(io.Discard, nil)
	e, stop := newExporter(t, c.URL, 1, slog.New(said))
	for range 2 * maxQueue {
		e.Record(Span{Operation: one, Step: Root, Name: "press", Start: time.Now(), End: time.Now()})
	}
	stop()
	said.mu.Lock()
	defer said.mu.Unlock()
	if len(said.levels) != 1 || said.levels[0] != slog.LevelWarn {
		t.Errorf("the log has lines of %v, want one warning", said.levels)
	}
}

// TestAShareIsFair: a share of the operations is that share, though six bits of
// a UUIDv7 are the same in all of them, and a larger share holds the smaller.
func TestAShareIsFair(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	const all = 20_000
	held := map[float64]int{}
	for range all {
		id, err := op.NewID(random)
		if err != nil {
			t.Fatal(err)
		}
		trace, ok := traceID(id)
		if !ok {
			t.Fatalf("%s is no trace's id", id)
		}
		before := false
		for _, share := range []float64{0, 0.1, 0.25, 0.5, 0.9, 1} {
			is := sampled(trace, share)
			if before && !is {
				t.Fatalf("%s is in a smaller share and not in %v", id, share)
			}
			before = is
			if is {
				held[share]++
			}
		}
	}
	for share, n := range held {
		if got := float64(n) / all; got < share-0.02 || got > share+0.02 {
			t.Errorf("a share of %v holds %v", share, got)
		}
	}
	if held[0] != 0 || held[1] != all {
		t.Errorf("none holds %d, all hold %d", held[0], held[1])
	}
}

// TestSpanIDsAreTheirOwn: what is distinguished has an id of its own.
func TestSpanIDsAreTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []op.ID{one, "0192d3a0-7c1e-7b3a-8f4e-1a2b3c4d5e70"} {
		for _, step := range []Step{Root, Capture, Queue, Uplink, Call, State, Bank} {
			for _, key := range []string{"", "a", "b"} {
				is := spanID(id, step, key).String()
				what := string(id) + " " + string(step) + " " + key
				if seen[is] != "" {
					t.Errorf("%s and %s are both %s", what, seen[is], is)
				}
				seen[is] = what
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		env    map[string]string
		wanted bool
		share  float64
		wrong  string
	}{
		"nothing":       {nil, false, 0, ""},
		"an endpoint":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, true, 1, ""},
		"its own":       {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c.example/v1/traces"}, true, 1, ""},
		"disabled":      {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_SDK_DISABLED": "TRUE"}, false, 0, ""},
		"no exporter":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "none"}, false, 0, ""},
		"a share":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"}, true, 0.25, ""},
		"off":           {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_SAMPLER": "always_off"}, true, 0, ""},
		"a wrong share": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"}, true, 0, "OTEL_TRACES_SAMPLER_ARG"},
		"no number":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "NaN"}, true, 0, "OTEL_TRACES_SAMPLER_ARG"},
		"a password":    {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:hunter2@c:1"}, true, 1, "without user and password"},
		"grpc":          {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, true, 1, "4318"},
		"another way":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "zipkin"}, true, 1, "zipkin"},
		"a sampler":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_SAMPLER": "jaeger_remote"}, true, 0, "jaeger_remote"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := Settings{c.env["OTEL_EXPORTER_OTLP_ENDPOINT"], 1}.Config(func(key string) string { return c.env[key] })
			if (err != nil) != (c.wrong != "") || err == nil && (cfg != nil) != c.wanted || cfg != nil && cfg.Share != c.share {
				t.Errorf("%+v, %v", cfg, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if _, err := New(t.Context(), Config{Endpoint: "ftp://x", Share: -1}); err == nil {
		t.Error("a configuration without anything is taken")
	}
}

// TestSettings: what the flags and the file say is in force where the environment
// says nothing, and reported where it makes no sense.
func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		said     Settings
		env      map[string]string
		off      bool
		endpoint string
		share    float64
		wrong    string
	}{
		"nothing":                 {said: Settings{Share: 1}, off: true},
		"a share alone":           {said: Settings{Share: 0.5}, off: true},
		"a collector":             {said: Settings{"http://c:4318", 0.5}, endpoint: "http://c:4318", share: 0.5},
		"a path of its own":       {said: Settings{"http://c:4318", 1}, env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://d:4318/x"}, endpoint: "", share: 1},
		"a sampler":               {said: Settings{"http://c:4318", 0.5}, env: map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, endpoint: "http://c:4318", share: 0},
		"disabled":                {said: Settings{"http://c:4318", 1}, env: map[string]string{"OTEL_SDK_DISABLED": "true"}, off: true},
		"a wrong share":           {said: Settings{"http://c:4318", 1.5}, wrong: "trace-share 1.5"},
		"a wrong share, and none": {said: Settings{"", 2}, wrong: "trace-share 2"},
		"no address":              {said: Settings{"c:4318", 1}, wrong: "otlp-endpoint: want http://"},
		"a password":              {said: Settings{"http://me:hunter2@c:4318", 1}, wrong: "without user and password"},
	} {
		got, err := c.said.Config(func(key string) string { return c.env[key] })
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil, c.off != (got == nil):
			t.Errorf("%s: %+v, %v", name, got, err)
		case got != nil && (got.Endpoint != c.endpoint || got.Share != c.share):
			t.Errorf("%s: %+v", name, got)
		}
	}
}
