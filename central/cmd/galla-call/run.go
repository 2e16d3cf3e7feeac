package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/envelope"
	"galla/shared/secret"
)

// environment is what the program uses from outside.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	rand           io.Reader
	now            func() time.Time
}

// Environment variables with secrets.
const (
	envKey    = "GALLA_KEY"
	envSecret = "GALLA_CLIENT_SECRET"
)

// Identities of the sandbox (sandbox.md). They work nowhere else.
const (
	sandboxVendor   = "vk_sandbox_sahyadri"
	sandboxKey      = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	sandboxMerchant = "merchant-lakshmi"
	sandboxSecret   = "sandbox-merchant-1"
)

// maxInput limits the body: the central takes 1 MiB.
const maxInput = 1 << 20

// request is one request, for either entrance.
type request struct {
	method, route string
	body          []byte
	id            string // Idempotency-Key, or X-Request-Id
}

// answer is what came back.
type answer struct {
	status  int
	headers [][2]string // those that matter
	body    []byte
}

// entrance sends a request.
type entrance interface {
	send(ctx context.Context, r request) (answer, error)
}

// run sends one request, prints the reply, and returns the HTTP status.
func run(ctx context.Context, c cli, w environment) (int, error) {
	body, err := readBody(c.Body, w.stdin)
	if err != nil {
		return 0, err
	}
	d, who, err := newEntrance(c, w)
	if err != nil {
		return 0, err
	}
	r := request{method: strings.ToUpper(c.Method), route: c.Route, body: body, id: c.RequestID}
	if r.id == "" {
		if r.id, err = newID(w.rand); err != nil {
			return 0, err
		}
	}
	fmt.Fprintf(w.stderr, "%s %s as %s\n", r.method, r.route, who)
	a, err := d.send(ctx, r)
	if err != nil {
		return 0, err
	}
	return a.status, show(a, w)
}

// newEntrance returns the entrance, and who calls.
func newEntrance(c cli, w environment) (entrance, string, error) {
	client, what := c.Client, "--client (or $GALLA_CLIENT_ID)"
	if c.Sandbox && client == "" {
		client = sandboxVendor
		if c.Direct {
			client = sandboxMerchant
		}
	}
	if client == "" {
		return nil, "", errors.New(what + " is missing: the API key at the gateway, the client id with --direct; or --sandbox")
	}
	if c.Direct {
		text, err := readSecret(c.SecretFile, envSecret, "--secret-file", sandboxValue(c, client == sandboxMerchant, sandboxSecret), w)
		if err != nil {
			return nil, "", err
		}
		return &directClient{base: c.URL.URL(), client: client, secret: secret.NewKey([]byte(text))}, client, nil
	}
	text, err := readSecret(c.KeyFile, envKey, "--key-file", sandboxValue(c, client == sandboxVendor, sandboxKey), w)
	if err != nil {
		return nil, "", err
	}
	key, err := envelope.ParseKey(text)
	if err != nil {
		return nil, "", err
	}
	d, err := newGatewayClient(c.URL.URL(), client, key, c.Verbose, w)
	return d, client, err
}

func sandboxValue(c cli, known bool, value string) string {
	if c.Sandbox && known {
		return value
	}
	return ""
}

// readSecret reads a secret from a file, the environment or the sandbox.
func readSecret(path, env, flag, known string, w environment) (string, error) {
	if path != "" {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", flag, err)
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(io.LimitReader(f, maxInput))
		if err != nil {
			return "", fmt.Errorf("read %s: %w", flag, err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	if text := strings.TrimSpace(w.getenv(env)); text != "" {
		return text, nil
	}
	if known != "" {
		return known, nil
	}
	return "", fmt.Errorf("the secret is missing: put it into a file and name it with %s, or set $%s; arguments can be read by every user of this machine", flag, env)
}

// readBody returns the JSON object of an argument, a file or standard input. It never
// quotes it.
func readBody(arg string, stdin io.Reader) ([]byte, error) {
	var text []byte
	var err error
	switch path, isFile := strings.CutPrefix(arg, "@"); {
	case arg == "":
		return []byte("{}"), nil
	case arg == "-":
		text, err = io.ReadAll(io.LimitReader(stdin, maxInput+1))
	case isFile:
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer func() { _ = f.Close() }()
			text, err = io.ReadAll(io.LimitReader(f, maxInput+1))
		}
	default:
		text = []byte(arg)
	}
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if len(text) > maxInput {
		return nil, fmt.Errorf("the body has more than %d bytes, which the central does not take", maxInput)
	}
	if v := jsontext.Value(text); !v.IsValid() || v.Kind() != '{' {
		return nil, errors.New("the body must be one JSON object, with no name twice")
	}
	return text, nil
}

func newID(rand io.Reader) (string, error) {
	var u [16]byte
	if _, err := io.ReadFull(rand, u[:]); err != nil {
		return "", fmt.Errorf("draw an identity: %w", err)
	}
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// show prints a reply: comments to stderr, its JSON to stdout.
func show(a answer, w environment) error {
	fmt.Fprintf(w.stderr, "HTTP %d\n", a.status)
	for _, h := range a.headers {
		fmt.Fprintf(w.stderr, "%s: %s\n", h[0], printable(h[1]))
	}
	fmt.Fprintln(w.stderr)
	v := jsontext.Value(a.body)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		v = []byte(printable(string(a.body))) // no JSON: printed as it came
	}
	if _, err := fmt.Fprintf(w.stdout, "%s\n", v); err != nil {
		return fmt.Errorf("print the reply: %w", err)
	}
	return nil
}

// printable removes characters that could control a terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 {
			return '.'
		}
		return c
	}, s)
}
