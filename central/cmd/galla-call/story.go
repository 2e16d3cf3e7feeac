package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// story is a file of steps that are played in their order (integrate.md, section "A whole
// story by galla-call"). The format is JSON because bodies can be copied from the
// documents as they are, and every language can write it. Tools such as Hurl have a
// format for requests, but can neither seal a message for the gateway nor capture a
// finger nor run galla-central.
type story struct {
	Title     string            `json:"title"`
	Variables map[string]string `json:"variables"` // made once, before the first step
	As        *credentials      `json:"as"`        // of the requests that have none of their own
	Steps     []step            `json:"steps"`
}

// credentials say who sends a request: with a secret directly, with a key through the
// gateway.
type credentials struct {
	Client string `json:"client"`
	Secret string `json:"secret"`
	Key    string `json:"key"`
}

// step is one step. It has one of Central, Finger and Request.
type step struct {
	Title string `json:"title"`

	Central []string `json:"central"` // arguments of galla-central, with --json
	Finger  string   `json:"finger"`  // Aadhaar number whose finger is laid on the simulated reader
	Request string   `json:"request"` // method and route, such as POST /aeps/balance

	As   *credentials   `json:"as"`   // of a request; by default the story's
	Body jsontext.Value `json:"body"` // of a request; by default {}

	// Wait repeats the same request under the same identity, every second, until its reply
	// is as expected, at most for this time, such as 30s.
	Wait   string                    `json:"wait"`
	Status int                       `json:"status"` // HTTP status; by default any below 300
	Expect map[string]jsontext.Value `json:"expect"` // values of the reply, by path
	Keep   map[string]string         `json:"keep"`   // new variables, by the path of their value
}

// Bounds of a story.
const (
	maxStory = 1 << 20 // bytes
	maxWait  = 10 * time.Minute
)

// requestLine is a method with a route.
var requestLine = regexp.MustCompile(`^(GET|POST|PUT|DELETE) (/\S*)$`)

// parseStory reads a story. Its error names every fault that can be seen before anything
// is sent: it never quotes a value.
func parseStory(text []byte) (story, error) {
	var s story
	if len(text) > maxStory {
		return s, fmt.Errorf("the story has more than %d bytes", maxStory)
	}
	if err := json.Unmarshal(text, &s, json.RejectUnknownMembers(true)); err != nil {
		return s, fmt.Errorf("the story is not of the form that integrate.md describes: %w", plainSyntax(err))
	}
	return s, s.check()
}

// plainSyntax says where a text is wrong, without the text.
func plainSyntax(err error) error {
	var wrong *json.SemanticError
	switch {
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &wrong):
		return fmt.Errorf("the member %s is unknown", wrong.JSONPointer)
	case errors.As(err, &wrong):
		return fmt.Errorf("the value at %s has a wrong type", wrong.JSONPointer)
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return fmt.Errorf("it is no JSON at byte %d, in %s", syntax.ByteOffset, syntax.JSONPointer)
	}
	return errors.New("it is no JSON")
}

// check looks for faults of the whole story.
func (s story) check() error {
	var faults []error
	known := map[string]bool{}
	if len(s.Steps) == 0 {
		faults = append(faults, errors.New("the story has no steps"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
		faults = append(faults, checkName(name), checkText(s.Variables[name], nil))
	}
	for name := range s.Variables {
		known[name] = true
	}
	for i, x := range s.Steps {
		if err := errors.Join(x.check(s.As, known)...); err != nil {
			faults = append(faults, fmt.Errorf("step %d: %w", i+1, err))
		}
		for name := range x.Keep {
			known[name] = true
		}
	}
	return errors.Join(faults...)
}

// check looks for faults of a step; known are the variables that exist before it.
func (x step) check(as *credentials, known map[string]bool) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if n := count(len(x.Central) > 0, x.Finger != "", x.Request != ""); n != 1 {
		fault("it has %d of central, finger and request; it must have one", n)
	}
	if x.Title == "" {
		fault("it has no title")
	}
	if x.Request == "" && (x.As != nil || x.Body != nil || x.Wait != "" || x.Status != 0) {
		fault("as, body, wait and status belong to a request")
	}
	if x.Finger != "" && len(x.Expect)+len(x.Keep) > 0 {
		fault("expect and keep belong to a request or a command")
	}
	if x.Request != "" {
		faults = append(faults, x.checkRequest(as, known)...)
	}
	texts := append([]string{x.Finger}, x.Central...)
	for _, path := range slices.Sorted(maps.Keys(x.Expect)) {
		texts = append(texts, stringsOf(x.Expect[path])...)
	}
	for _, text := range texts {
		faults = append(faults, checkText(text, known))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Keep)) {
		faults = append(faults, checkName(name))
	}
	return faults
}

func (x step) checkRequest(as *credentials, known map[string]bool) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !requestLine.MatchString(x.Request) {
		fault("request must be a method and a route, such as POST /aeps/balance")
	}
	if x.As != nil {
		as = x.As
	}
	switch {
	case as == nil:
		fault("nobody sends the request: give it, or the story, the member as")
	case as.Client == "" || (as.Secret == "") == (as.Key == ""):
		fault("as must have client, and either secret (direct) or key (gateway)")
	default:
		for _, text := range []string{as.Client, as.Secret, as.Key} {
			faults = append(faults, checkText(text, known))
		}
	}
	if x.Body != nil && x.Body.Kind() != '{' {
		fault("body must be an object")
	}
	if wait, err := x.wait(); err != nil || wait < 0 || wait > maxWait {
		fault("wait must be a time such as 30s, at most %s", maxWait)
	}
	if x.Status != 0 && (x.Status < 200 || x.Status > 599) {
		fault("status must be an HTTP status")
	}
	for _, text := range append(stringsOf(x.Body), x.Request) {
		faults = append(faults, checkText(text, known))
	}
	return faults
}

func (x step) wait() (time.Duration, error) {
	if x.Wait == "" {
		return 0, nil
	}
	return time.ParseDuration(x.Wait)
}

// does says what a step does, for people.
func (x step) does() string {
	switch {
	case x.Request != "":
		return x.Title + " (" + x.Request + ")"
	case x.Finger != "":
		return x.Title
	}
	return x.Title + " (galla-central " + strings.Join(x.Central[:min(2, len(x.Central))], " ") + ")"
}

// request is the method and the route.
func (x step) request() (method, route string) {
	parts := requestLine.FindStringSubmatch(x.Request)
	if parts == nil {
		return http.MethodGet, x.Request
	}
	return parts[1], parts[2]
}

func count(list ...bool) (n int) {
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

// stringsOf are the strings of a JSON value, without the names of members.
func stringsOf(v jsontext.Value) (all []string) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	for {
		isName := expectsName(d)
		token, err := d.ReadToken()
		if err != nil {
			return all // the whole value was read as JSON before, so this is its end
		}
		if token.Kind() == '"' && !isName {
			all = append(all, token.String())
		}
	}
}

// expectsName reports whether the next string is the name of a member.
func expectsName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 0
}

// readStory reads a story: one of the ready ones by its name, or a file.
func readStory(name string, ready func(string) ([]byte, error), open func(string) (io.ReadCloser, error)) ([]byte, error) {
	if !strings.ContainsAny(name, "./") {
		return ready(name)
	}
	f, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("read the story: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxStory+1))
	if err != nil {
		return nil, fmt.Errorf("read the story: %w", err)
	}
	return text, nil
}
