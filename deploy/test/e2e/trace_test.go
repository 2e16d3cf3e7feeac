package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// traceCollector collects the spans of a collector of traces, by service.
type traceCollector struct {
	mu    sync.Mutex
	spans map[string][]*spans.Span
	raw   []byte
}

func (c *traceCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &message) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, body...)
	for _, resource := range message.GetResourceSpans() {
		service := ""
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			c.spans[service] = append(c.spans[service], scope.GetSpans()...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// tree gives the trace that has a span of a name, as lines of service, name and the
// parent's name; nil: it is not complete yet.
func (c *traceCollector) tree(name string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names, trace := map[string]string{}, ""
	for _, list := range c.spans {
		for _, s := range list {
			names[string(s.GetSpanId())] = s.GetName()
			if s.GetName() == name {
				trace = string(s.GetTraceId())
			}
		}
	}
	var lines []string
	for service, list := range c.spans {
		for _, s := range list {
			if string(s.GetTraceId()) != trace {
				continue
			}
			parent := "nothing"
			if len(s.GetParentSpanId()) > 0 {
				parent = names[string(s.GetParentSpanId())]
			}
			lines = append(lines, fmt.Sprintf("%s: %s below %s", service, s.GetName(), parent))
		}
	}
	return lines
}

// TestATraceGoesFromTheFormToTheBank checks that counter and central, two processes
// that exchange nothing about it, send a collector one complete trace, without
// anybody's number.
func TestATraceGoesFromTheFormToTheBank(t *testing.T) {
	t.Parallel()
	c := &traceCollector{spans: map[string][]*spans.Span{}}
	listener := httptest.NewServer(c)
	t.Cleanup(listener.Close)
	h := startSandbox(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+listener.URL)
	h.serveOne(t, 10_100)
	want := []string{
		"galla-edge: press POST /aeps/withdrawal below nothing",
		"galla-edge: capture below press POST /aeps/withdrawal",
		"galla-edge: queue below press POST /aeps/withdrawal",
		"galla-edge: uplink below press POST /aeps/withdrawal",
		"galla-central: POST /aeps/withdrawal below uplink",
		"galla-central: received below POST /aeps/withdrawal",
		"galla-central: sent below POST /aeps/withdrawal",
		"galla-central: bank send below sent",
	}
	missing := want
	defer func() {
		if t.Failed() {
			t.Logf("of the trace is missing\n%s\nthere is\n%s", strings.Join(missing, "\n"), strings.Join(c.tree("press POST /aeps/withdrawal"), "\n"))
		}
	}()
	waitUntil(t, "the collector has the whole trace", time.Minute, func() bool {
		missing = nil
		got := strings.Join(c.tree("press POST /aeps/withdrawal"), "\n") + "\n"
		for _, line := range want {
			if !strings.Contains(got, line+"\n") {
				missing = append(missing, line)
			}
		}
		return len(missing) == 0
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, who := range []string{choudhury, fatima, "Choudhury", "PidData", lakshmiSecret} {
		if strings.Contains(string(c.raw), who) {
			t.Errorf("the collector got %q", who)
		}
	}
}
