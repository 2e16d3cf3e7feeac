// Command gorilla accepts websockets by gorilla on net/http and does nothing else: a
// goroutine reads each of them.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

func main() {
	addr := flag.String("addr", "", "host:port to listen on")
	flag.Parse()
	fmt.Fprintln(os.Stderr, "gorilla:", http.ListenAndServe(*addr, handler()))
	os.Exit(1)
}

func handler() http.Handler {
	var upgrader websocket.Upgrader
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return // it has answered
		}
		defer func() { _ = c.Close() }()
		for {
			if _, _, err := c.ReadMessage(); err != nil {
				return
			}
		}
	})
}
