package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/envelope"
	"galla/shared/secret"
)

// errUnexpected says that a reply is not as a story expects it.
var errUnexpected = errors.New("not as expected")

// retryPause is how long a request with wait pauses before it is sent again.
const retryPause = time.Second

// player plays a story.
type player struct {
	values
	as      *credentials
	url     string
	timeout time.Duration // of one request
	env     environment
	// transport is that of direct requests; the network where nil.
	transport http.RoundTripper
	// central runs galla-central with arguments and returns what it printed.
	central func(ctx context.Context, args []string) ([]byte, error)
}

// play plays all steps, and prints a line for each. The first step that fails ends it; the
// error names the step. Nothing that is printed has a fingerprint, a one-time password, a
// secret or an Aadhaar number.
func (p *player) play(ctx context.Context, s story) error {
	p.as, p.variables = s.As, map[string]jsontext.Value{}
	made := map[string]jsontext.Value{}
	for _, name := range slices.Sorted(maps.Keys(s.Variables)) {
		value, err := p.value(ctx, s.Variables[name])
		if err != nil {
			return fmt.Errorf("the variable %s: %w", name, err)
		}
		made[name] = value
	}
	p.variables = made
	fmt.Fprintf(p.env.stdout, "%s\n", printable(s.Title))
	for i, x := range s.Steps {
		said, err := p.step(ctx, x)
		if err != nil {
			return fmt.Errorf("step %d of %d, %s: %w", i+1, len(s.Steps), x.does(), err)
		}
		if said != "" {
			said = ": " + said
		}
		if _, err := fmt.Fprintf(p.env.stdout, "%3d  %s%s\n", i+1, printable(x.does()), said); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// step plays one step and says what came of it.
func (p *player) step(ctx context.Context, x step) (said string, err error) {
	switch {
	case x.Finger != "":
		aadhaar, err := p.text(ctx, x.Finger)
		if err != nil {
			return "", err
		}
		return "", p.sandbox.placeFinger(ctx, aadhaar)
	case x.Request != "":
		return p.request(ctx, x)
	}
	args := make([]string, len(x.Central))
	for i, text := range x.Central {
		if args[i], err = p.text(ctx, text); err != nil {
			return "", err
		}
	}
	out, err := p.central(ctx, args)
	if err != nil {
		return "", err
	}
	return "", p.accept(ctx, x, answer{status: http.StatusOK, body: out})
}

// request sends a step's request, and again while it may wait, always with the same bytes
// and the same identity: so nothing runs twice.
func (p *player) request(ctx context.Context, x step) (string, error) {
	d, err := p.entrance(ctx, x)
	if err != nil {
		return "", err
	}
	r := request{body: []byte("{}")}
	r.method, r.route = x.request()
	if r.route, err = p.text(ctx, r.route); err != nil {
		return "", err
	}
	if x.Body != nil {
		if r.body, err = p.json(ctx, x.Body); err != nil {
			return "", err
		}
	}
	if r.id, err = newID(p.rand); err != nil {
		return "", err
	}
	wait, err := x.wait()
	if err != nil {
		return "", err
	}
	end := p.env.now().Add(wait)
	for {
		a, err := p.send(ctx, d, r)
		if err == nil {
			err = p.accept(ctx, x, a)
		}
		if err == nil || !p.env.now().Before(end) {
			return summary(a), err
		}
		if err := pause(ctx, retryPause); err != nil {
			return "", err
		}
	}
}

func (p *player) send(ctx context.Context, d entrance, r request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return d.send(ctx, r)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// entrance is that of a step's credentials.
func (p *player) entrance(ctx context.Context, x step) (entrance, error) {
	as := p.as
	if x.As != nil {
		as = x.As
	}
	client, err := p.text(ctx, as.Client)
	if err != nil {
		return nil, err
	}
	if as.Secret != "" {
		text, err := p.text(ctx, as.Secret)
		return &directClient{base: p.url, client: client, secret: secret.NewKey([]byte(text)), http: http.Client{Transport: p.transport}}, err
	}
	text, err := p.text(ctx, as.Key)
	if err != nil {
		return nil, err
	}
	key, err := envelope.ParseKey(text)
	if err != nil {
		return nil, err
	}
	return newGatewayClient(p.url, client, key, false, p.env)
}

// accept compares an answer with what a step expects, and keeps values of it.
func (p *player) accept(ctx context.Context, x step, a answer) error {
	fine := a.status < http.StatusMultipleChoices
	if x.Status != 0 {
		fine = a.status == x.Status
	}
	if !fine {
		return fmt.Errorf("%w: %s", errUnexpected, explanation(a))
	}
	for _, path := range slices.Sorted(maps.Keys(x.Expect)) {
		want, err := p.json(ctx, x.Expect[path])
		if err != nil {
			return err
		}
		switch got := find(a.body, path); {
		case got == nil:
			return fmt.Errorf("%w: the reply has no %s; %s", errUnexpected, path, explanation(a))
		case !same(got, want):
			return fmt.Errorf("%w: %s is another value; %s", errUnexpected, path, explanation(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.Keep)) {
		got := find(a.body, x.Keep[name])
		if got == nil {
			return fmt.Errorf("%w: the reply has no %s to keep; %s", errUnexpected, x.Keep[name], explanation(a))
		}
		p.variables[name] = got.Clone()
	}
	return nil
}

// verdict is the part of a reply that is about the request, and names nobody.
type verdict struct {
	Code    string         `json:"statusCode"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// refusal is the data of a refused request.
type refusal struct {
	Errors []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
}

// summary says in a few words what was answered.
func summary(a answer) string {
	var v verdict
	words := []string{fmt.Sprintf("HTTP %d", a.status)}
	if json.Unmarshal(a.body, &v) == nil {
		words = append(words, v.Code, v.Message)
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	return printable(secret.RedactAadhaar(strings.Join(words, " ")))
}

// explanation is summary with the wrong fields and the bank's code.
func explanation(a answer) string {
	out := summary(a)
	var v verdict
	if json.Unmarshal(a.body, &v) != nil {
		return out
	}
	for _, path := range []string{"txnStatus", "status", "ResponseCode", "ResponseStatus"} {
		if got := find(v.Data, path); got != nil {
			out += fmt.Sprintf(", %s %s", path, printable(secret.RedactAadhaar(plain(got))))
		}
	}
	var refused refusal
	if json.Unmarshal(v.Data, &refused) != nil {
		return out
	}
	for _, x := range refused.Errors {
		out += fmt.Sprintf("; %s %s", printable(x.Field), printable(secret.RedactAadhaar(x.Message)))
	}
	return out
}
