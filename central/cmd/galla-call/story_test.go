package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/deploy/sdk/stories"
)

// TestReadyStories: every ready story has no fault, and names no route that Galla does
// not have. The blocks of integrate.md play them against a fresh sandbox.
func TestReadyStories(t *testing.T) {
	names := stories.Names()
	if len(names) < 3 {
		t.Fatalf("the stories: %v", names)
	}
	for _, name := range names {
		text, err := stories.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseStory(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := stories.Read("none"); !errors.Is(err, stories.ErrUnknown) || !strings.Contains(err.Error(), names[0]) {
		t.Errorf("a story that is none: %v", err)
	}
}

// TestFaultsOfStories: everything that is wrong is named before anything is sent, and no
// value is quoted.
func TestFaultsOfStories(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"no JSON":          {`{"title": "canary`, []string{"no JSON"}},
		"no steps":         {`{}`, []string{"no steps"}},
		"unknown member":   {`{"steps": [{"title": "a", "reqest": "GET /a"}]}`, []string{"/steps/0/reqest is unknown"}},
		"wrong type":       {`{"steps": {"a": "canary"}}`, []string{"/steps has a wrong type"}},
		"nothing to do":    {`{"steps": [{"title": "a"}]}`, []string{"step 1", "must have one"}},
		"two things":       {`{"steps": [{"title": "a", "finger": "canary", "central": ["x"]}]}`, []string{"it has 2 of"}},
		"no title":         {`{"steps": [{"finger": "canary"}]}`, []string{"no title"}},
		"nobody":           {`{"steps": [{"title": "a", "request": "GET /a"}]}`, []string{"nobody sends"}},
		"two entrances":    {`{"as": {"client": "c", "key": "canary", "secret": "canary"}, "steps": [{"title": "a", "request": "GET /a"}]}`, []string{"either secret (direct) or key"}},
		"not of a finger":  {`{"steps": [{"title": "a", "finger": "1", "wait": "1s", "keep": {"a": "b"}}]}`, []string{"belong to a request", "expect and keep belong"}},
		"a variable later": {`{"as": {"client": "${c}", "secret": "${env:S}"}, "steps": [{"title": "a", "request": "GET /${r}", "keep": {"c": "id", "r": "id"}}]}`, []string{"${c}: no variable", "${r}: no variable"}},
		"all of a request": {`{"as": {"client": "c", "secret": "s"}, "steps": [{"title": "a", "request": "FETCH a", "body": ["canary"], "wait": "canary", "status": 7, "keep": {"otp": "a"}, "expect": {"a": "${canary2}"}}]}`,
			[]string{"method and a route", "must be an object", "time such as 30s", "an HTTP status", `"otp" can't be`, "${canary2}"}},
		"placeholders": {`{"variables": {"a": "${digits:99}", "b": "${otp}", "c": "${ x", "d": "${capture:face}", "e": "${a}"}, "steps": [{"title": "a", "finger": "1"}]}`,
			[]string{"1 to 18", "placeholder of otp", "begins no placeholder", "placeholder of capture", "${a}: no variable"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseStory([]byte(tt.text))
			if err == nil {
				t.Fatal("it has no fault")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if strings.Contains(strings.ReplaceAll(err.Error(), "canary2", ""), "canary") {
				t.Errorf("it quotes a value: %v", err)
			}
		})
	}
	if _, err := parseStory(bytes.Repeat([]byte(" "), maxStory+1)); err == nil {
		t.Error("a story of any length is read")
	}
}

// FuzzStory: no text makes the parser panic, and a story without faults can be expanded.
func FuzzStory(f *testing.F) {
	for _, name := range stories.Names() {
		text, err := stories.Read(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"steps": [{"title": "${", "request": "GET /a", "as": {"client": "${id}", "key": "k"}, "body": {"${id}": ["${digits:3}"]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseStory(text)
		if err != nil {
			return
		}
		for _, x := range s.Steps {
			v := values{variables: map[string]jsontext.Value{}, sandbox: everyPhone{}, getenv: func(string) string { return "e" }, rand: rand.Reader}
			for _, word := range append(stringsOf(x.Body), x.Request) {
				for _, p := range placeholder.FindAllStringSubmatch(word, -1) {
					v.variables[p[1]] = jsontext.Value(`"v"`)
				}
			}
			if made, err := v.json(t.Context(), x.Body); err != nil || x.Body != nil && !made.IsValid() {
				t.Errorf("a body: %v, %s", err, made)
			}
		}
	})
}

const (
	fakePid = "<PidData>canary-finger</PidData>"
	fakeOTP = "424242"
)

type fakeSandbox struct{}

func (fakeSandbox) capture(context.Context, bool) (string, error) { return fakePid, nil }

func (fakeSandbox) otp(_ context.Context, mobile string) (string, error) {
	if mobile != "9000000001" {
		return "", errors.New("another mobile number")
	}
	return fakeOTP, nil
}

// everyPhone has a one-time password for every text.
type everyPhone struct{ fakeSandbox }

func (everyPhone) otp(context.Context, string) (string, error) { return fakeOTP, nil }

func (fakeSandbox) placeFinger(context.Context, string) error { return nil }

func TestValues(t *testing.T) {
	v := values{variables: map[string]jsontext.Value{"n": jsontext.Value("12"), "text": jsontext.Value(`"a\"b"`), "mobile": jsontext.Value(`"9000000001"`)},
		sandbox: fakeSandbox{}, getenv: func(name string) string { return map[string]string{"S": "secret"}[name] }, rand: rand.Reader}
	for in, want := range map[string]string{
		`{"amount":49.50,"id":"${n}"}`:              `{"amount":49.50,"id":12}`,
		`{"${n}":"no ${n} and ${text}"}`:            `{"${n}":"no 12 and a\"b"}`,
		`{"otp":"${otp:mobile}"}`:                   `{"otp":"424242"}`,
		`["${otp:9000000001}","${env:S}",null]`:     `["424242","secret",null]`,
		`{"PidData":"${capture}","deep":[{"x":1}]}`: `{"PidData":"` + fakePid + `","deep":[{"x":1}]}`,
	} {
		if out, err := v.json(t.Context(), jsontext.Value(in)); err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s, want\n%s", in, err, out, want)
		}
	}
	for _, in := range []string{`"${otp:9000000002}"`, `"${env:NONE}"`, `"${gone} x"`} {
		if out, err := v.json(t.Context(), jsontext.Value(in)); err == nil {
			t.Errorf("%s becomes %s", in, out)
		}
	}
	seen := map[string]bool{}
	for range 50 {
		out, err := v.text(t.Context(), "${digits:10}")
		if err != nil || len(out) != 10 || out[0] == '0' || seen[out] {
			t.Fatalf("ten digits: %s, %v", out, err)
		}
		seen[out] = true
	}
	in := jsontext.Value(`{"data":{"list":[{"a":"b"},{"a":7}]},"0":1}`)
	for path, want := range map[string]string{"data.list.1.a": "7", "0": "1", "data.list.2": "", "data.none": "", "data.list.a": ""} {
		if got := find(in, path); string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if !same(jsontext.Value("1200"), jsontext.Value("1.2e3")) || same(jsontext.Value(`"1"`), jsontext.Value("1")) {
		t.Error("values are compared by their text")
	}
}

// direct plays the HTTP API. The first two withdrawals get no final answer.
type direct struct {
	bodies, keys []string
}

func (d *direct) RoundTrip(q *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch q.URL.Path {
	case "/oauth/token":
		fmt.Fprint(w, `{"access_token":"t"}`)
	case "/aeps/withdrawal":
		text, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		d.bodies, d.keys = append(d.bodies, string(text)), append(d.keys, q.Header.Get("Idempotency-Key"))
		switch len(d.bodies) {
		case 1:
			return nil, errors.New("the line is dead")
		case 2:
			fmt.Fprint(w, `{"statusCode":"00","message":"Transaction pending","reference":"GL1"}`)
		default:
			fmt.Fprint(w, `{"statusCode":"00","message":"Transaction successful","data":{"txnStatus":"SUCCESS","AadharNo":"999941057058","rrn":"1"}}`)
		}
	default:
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"statusCode":"02","message":"Invalid request of 999941057058","data":{"errors":[{"field":"TxnAmount","rule":"range","message":"must be more"}]}}`)
	}
	return w.Result(), nil
}

// playStory plays a story with fakes, in virtual time.
func playStory(t *testing.T, d *direct, text string) (string, error) {
	t.Helper()
	s, err := parseStory([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := player{
		values: values{sandbox: fakeSandbox{}, getenv: func(string) string { return "" }, rand: rand.Reader}, url: "http://central", timeout: time.Minute,
		env:       environment{stdout: &out, stderr: io.Discard, rand: rand.Reader, now: time.Now},
		transport: d,
		central: func(_ context.Context, args []string) ([]byte, error) {
			if args[0] != "client" {
				return nil, errors.New("exit status 1")
			}
			return json.Marshal(map[string]any{"client_id": "shop", "client_secret": "canary-secret", "args": args})
		},
	}
	err = p.play(t.Context(), s)
	return out.String(), err
}

const credentialStep = `{"title": "Make a client", "central": ["client", "add", "merchant:m"], "keep": {"client": "client_id", "secret": "client_secret"}}`

// TestPlay: a request waits for its outcome with the same bytes under one identity, and
// nothing that must stay secret is printed.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &direct{}
		out, err := playStory(t, d, `{"title": "A day", "variables": {"who": "999941057058"}, "as": {"client": "${client}", "secret": "${secret}"}, "steps": [`+credentialStep+`,
			{"title": "Finger", "finger": "${who}"},
			{"title": "Pay", "request": "POST /aeps/withdrawal", "body": {"AadharNo": "${who}", "TxnAmount": 100.50, "PidData": "${capture}", "otp": "${otp:9000000001}"},
			 "wait": "30s", "expect": {"data.txnStatus": "SUCCESS"}, "keep": {"rrn": "data.rrn"}},
			{"title": "Be refused", "request": "POST /other", "status": 422, "expect": {"data.errors.0.field": "TxnAmount"}}]}`)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.bodies) != 3 || d.bodies[0] != d.bodies[2] || d.keys[0] != d.keys[1] || d.keys[1] != d.keys[2] || d.keys[0] == "" {
			t.Errorf("sent: %q %q", d.keys, d.bodies)
		}
		if !strings.Contains(d.bodies[0], `"TxnAmount":100.50`) || !strings.Contains(d.bodies[0], "canary-finger") {
			t.Errorf("the body: %s", d.bodies[0])
		}
		for _, secret := range []string{"999941057058", "canary", fakeOTP} {
			if strings.Contains(out, secret) {
				t.Errorf("%q is printed: %s", secret, out)
			}
		}
		if strings.Count(out, "\n") != 5 || !strings.Contains(out, "Pay (POST /aeps/withdrawal): HTTP 200 00 Transaction successful") {
			t.Errorf("printed: %s", out)
		}
	})
}

// TestPlayEnds: the first step that is not as expected ends the story, and is explained.
func TestPlayEnds(t *testing.T) {
	const begin = `{"as": {"client": "${client}", "secret": "${secret}"}, "steps": [` + credentialStep + `, `
	const last = `, {"title": "Never played", "request": "POST /other"}]}`
	for name, tt := range map[string]struct {
		step       string
		unexpected bool
		want       []string
	}{
		"a refusal":      {`{"title": "Pay", "request": "POST /other"}`, true, []string{"step 2 of 3, Pay (POST /other)", "HTTP 422 02 Invalid request of XXXXXXXX7058", "TxnAmount must be more"}},
		"another status": {`{"title": "Pay", "request": "POST /other", "status": 409}`, true, []string{"HTTP 422"}},
		"pending":        {`{"title": "Pay", "request": "POST /aeps/withdrawal", "wait": "1s", "expect": {"data.txnStatus": "SUCCESS"}}`, true, []string{"no data.txnStatus", "Transaction pending"}},
		"no reply":       {`{"title": "Pay", "request": "POST /aeps/withdrawal"}`, false, []string{"no reply", "Whether it ran is unknown"}},
		"another value":  {`{"title": "Pay", "request": "POST /aeps/withdrawal", "wait": "5s", "expect": {"data.txnStatus": "FAILED"}}`, true, []string{"data.txnStatus is another value", "txnStatus SUCCESS"}},
		"nothing kept":   {`{"title": "Pay", "request": "POST /aeps/withdrawal", "wait": "5s", "keep": {"x": "data.x"}}`, true, []string{"no data.x to keep"}},
		"a command":      {`{"title": "Add", "central": ["merchant", "add"]}`, false, []string{"Add (galla-central merchant add): exit status 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, err := playStory(t, &direct{}, begin+tt.step+last)
				if err == nil || errors.Is(err, errUnexpected) != tt.unexpected || strings.Contains(out, "Never played") {
					t.Fatalf("%v\n%s", err, out)
				}
				for _, want := range tt.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("no %q in: %v", want, err)
					}
				}
			})
		})
	}
}

// TestLocalSandbox: the newest one-time password is read, and errors name nobody.
func TestLocalSandbox(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/inbox/9000000001" && q.Header.Get("Accept") == "application/json":
			fmt.Fprint(w, `[{"at":"2026-11-24T10:00:00Z","text":"paid"},{"otp":"222222"},{"otp":"111111"}]`)
		case q.URL.Path == "/inbox/9000000002":
			fmt.Fprint(w, `[]`)
		case q.URL.Path == "/inbox/9000000003":
			fmt.Fprint(w, `<html>`)
		case q.URL.Path == "/sim/finger" && q.Method == "POST":
			text, err := io.ReadAll(q.Body)
			if err != nil || !strings.Contains(string(text), `"999941057058"`) {
				w.WriteHeader(http.StatusUnprocessableEntity)
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	local, err := newLocalSandbox(s.URL, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if otp, err := local.otp(t.Context(), "9000000001"); err != nil || otp != "222222" {
		t.Errorf("the newest: %q, %v", otp, err)
	}
	for _, mobile := range []string{"9000000002", "9000000003", "9000000004"} {
		if otp, err := local.otp(t.Context(), mobile); err == nil || strings.Contains(err.Error(), mobile) {
			t.Errorf("%s: %q, %v", mobile, otp, err)
		}
	}
	if err := local.placeFinger(t.Context(), "999941057058"); err != nil {
		t.Error(err)
	}
	if err := local.placeFinger(t.Context(), "999971658847"); err == nil || !strings.Contains(err.Error(), "HTTP 422") || strings.Contains(err.Error(), "8847") {
		t.Errorf("nobody's finger: %v", err)
	}
	if _, err := local.capture(t.Context(), false); err == nil {
		t.Error("a capture without a reader")
	}
}
