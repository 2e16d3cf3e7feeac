//go:build linux

package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"galla/central/api/openapi"
)

// sample is the command of an operation for one entrance, as /docs shows it.
type sample struct {
	id       string
	step     int
	source   string
	status   int                // of the documented success
	response *openapi3.Response // with that status
	example  map[string]any     // the first documented reply
	after    []string           // operations whose samples come before
}

// samplesOf reads the samples of an entrance from the document, in their order.
func samplesOf(t *testing.T, entrance string) []sample {
	t.Helper()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []sample
	for _, item := range doc.Paths.Map() {
		for _, o := range item.Operations() {
			var place struct {
				Step  int      `json:"step"`
				After []string `json:"after"`
			}
			var sources []struct{ Label, Source string }
			again(t, o.Extensions["x-sandbox"], &place)
			again(t, o.Extensions["x-codeSamples"], &sources)
			for _, s := range sources {
				if s.Label == entrance {
					list = append(list, withReply(t, o, sample{id: o.OperationID, step: place.Step, after: place.After, source: s.Source}))
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b sample) int { return cmp.Compare(a.step, b.step) })
	return list
}

// again reads an extension of the document into a Go value.
func again(t *testing.T, extension, into any) {
	t.Helper()
	if extension == nil {
		return
	}
	text, err := json.Marshal(extension)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withReply adds the documented success, which is the first of the lowest status.
func withReply(t *testing.T, o *openapi3.Operation, s sample) sample {
	t.Helper()
	for _, status := range []int{200, 201} {
		r := o.Responses.Status(status)
		if r == nil {
			continue
		}
		media := r.Value.Content["application/json"]
		example, ok := media.Examples["reply1"]
		if !ok {
			t.Fatalf("%s has no example of its success", o.OperationID)
		}
		s.status, s.response = status, r.Value
		again(t, example.Value.Value, &s.example)
		return s
	}
	t.Fatalf("%s has no success", o.OperationID)
	return s
}

// TestEverySample pastes the commands that the document shows for each operation into a
// shell beside a fresh sandbox, in their order, and holds each reply against the document:
// its status, its schema, and its example, but for values that differ from run to run. The
// Postman collection, made of the same samples, and the page of the gateway have sandboxes of
// their own.
func TestEverySample(t *testing.T) {
	bin := testBuild(t)
	t.Run("Postman", func(t *testing.T) {
		t.Parallel()
		playCollection(t, bin)
	})
	t.Run("Page", func(t *testing.T) {
		t.Parallel()
		pastePage(t, bin)
	})
	for _, entrance := range []string{"Direct", "Gateway"} {
		t.Run(entrance, func(t *testing.T) {
			t.Parallel()
			samples := samplesOf(t, entrance)
			if len(samples) < 40 {
				t.Fatalf("the document has %d samples", len(samples))
			}
			kept := t.TempDir()
			runSamples(t, bin, kept, samples)
			for _, s := range samples {
				s.check(t, kept)
			}
		})
	}
}

// runSamples runs the commands in one shell, and keeps each reply and its HTTP status. A
// function in place of curl notes the status, which the commands do not print.
func runSamples(t *testing.T, bin, kept string, samples []sample) {
	t.Helper()
	blocks := []Block{{Page: "samples", Text: "curl() { command curl -D " + kept + "/headers \"$@\"; }\n"}}
	for _, s := range samples {
		keep := fmt.Sprintf("mv reply.json %s/%s.json\nif [ -e %s/headers ]; then mv %s/headers %s/%s.headers; fi\n", kept, s.id, kept, kept, kept, s.id)
		blocks = append(blocks, Block{Page: s.id, Text: s.source + keep})
	}
	run(t, bin, "samples", blocks)
}

// check holds a reply against the document.
func (s sample) check(t *testing.T, kept string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kept, s.id+".json"))
	if err != nil {
		t.Errorf("%s: %v", s.id, err)
		return
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Errorf("%s answers %q: %v", s.id, text, err)
		return
	}
	if err := s.response.Content["application/json"].Schema.Value.VisitJSON(got, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("%s: the reply is not as documented: %v\n%s", s.id, err, text)
	}
	headers, err := os.ReadFile(filepath.Join(kept, s.id+".headers"))
	if err == nil && !strings.HasPrefix(string(headers), fmt.Sprintf("HTTP/1.1 %d ", s.status)) {
		t.Errorf("%s: want HTTP %d, got %.40q", s.id, s.status, headers)
	}
	if diff := difference(s.example, got, "reply"); diff != "" {
		t.Errorf("%s: the documented reply is not what a fresh sandbox answers: %s\n%s", s.id, diff, text)
	}
}

// varying are the fields of replies whose values differ from run to run; their types do
// not.
var varying = []string{
	"access_token", "x", "kid", "STAN", "ReferenceNo", "rrn", "AuthCode", "RetailerReferenceNumber", "reference", "stan", "Ministatement",
	"otpreqid", "otp_reqid", "transactionId", "refundId", "bcId", "agentId", "code", "image", "uplink", "day", "from", "to", "seenAt", "balance",
	"RRN", "apiKey", "key", "client_secret", "secret", "pendingReference", "attempts",
}

// anyValue stands for a value that differs from run to run.
var anyValue = regexp.MustCompile(`^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT.*Z|GSB[0-9A-F]{32})$`)

// difference says where a reply is not as the example, or nothing. Values that differ from
// run to run have the example's type only. An example shows the first items of a list.
func difference(want, got any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return path + " is no object"
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if _, ok := want[name]; !ok && name != "usedAt" { // a key that was never used has none
				return path + "." + name + " is not in the example"
			}
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, ok := got[name]
			if !ok {
				return path + "." + name + " is only in the example"
			}
			if slices.Contains(varying, name) && fmt.Sprintf("%T", value) == fmt.Sprintf("%T", want[name]) {
				continue
			}
			if diff := difference(want[name], value, path+"."+name); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) < len(want) || len(want) == 0 && len(got) > 0 {
			return fmt.Sprintf("%s is no list of at least %d items, or the example shows none", path, len(want))
		}
		for i := range want {
			if diff := difference(want[i], got[i], fmt.Sprintf("%s[%d]", path, i)); diff != "" {
				return diff
			}
		}
		return ""
	case string:
		if text, ok := got.(string); ok && anyValue.MatchString(want) && anyValue.MatchString(text) {
			return ""
		}
	}
	if want != got {
		return fmt.Sprintf("%s is %v; the example has %v", path, got, want)
	}
	return ""
}
