// Command call sends one request through the gateway.
//
//	GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//	  go run ./examples/call call POST /aeps/balance < body.json
//	go run ./examples/call vectors gateway.json
//
// The route is the direct one. The body is a JSON object, from the last argument or (better,
// since arguments can be read by every user of a machine) from standard input; none means {}.
// The key comes from the environment only. GALLA_REQUEST_ID repeats an earlier request: same
// id, same body.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	galla "galla.example/sdk"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "vectors" {
		file, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		n, err := galla.CheckVectors(file)
		if err == nil {
			fmt.Printf("%d vectors: all right\n", n)
		}
		return err
	}
	if len(args) < 3 || args[0] != "call" || os.Getenv("GALLA_GATEWAY") == "" || os.Getenv("GALLA_CLIENT_ID") == "" || os.Getenv("GALLA_KEY") == "" {
		return errors.New("usage: call vectors FILE, or: call call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set")
	}
	return call(args[1], args[2], args[3:])
}

func call(method, route string, given []string) error {
	body := []byte(nil)
	if len(given) > 0 {
		body = []byte(given[0])
	} else if s, err := os.Stdin.Stat(); err == nil && s.Mode()&os.ModeCharDevice == 0 {
		if body, err = io.ReadAll(os.Stdin); err != nil {
			return err
		}
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		body = []byte("{}")
	}
	client, err := galla.NewGateway(galla.GatewayConfig{
		Config: galla.Config{BaseURL: os.Getenv("GALLA_GATEWAY")}, ClientID: os.Getenv("GALLA_CLIENT_ID"), Key: os.Getenv("GALLA_KEY"),
	})
	if err != nil {
		return err
	}
	key := cmp.Or(os.Getenv("GALLA_REQUEST_ID"), galla.NewKey())
	result, err := client.Call(context.Background(), method, route, body, galla.WithKey(key))
	var e *galla.Error
	switch {
	case err == nil:
		fmt.Printf("HTTP %d\n%s\n", result.HTTPStatus, result.Reply)
	case errors.As(err, &e) && e.HTTPStatus >= 400 && e.HTTPStatus != http.StatusUnauthorized && len(e.Reply) > 0:
		fmt.Printf("HTTP %d\n%s\n", e.HTTPStatus, e.Reply)
	default:
		return fmt.Errorf("%w\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=%s", err, key)
	}
	return nil
}
