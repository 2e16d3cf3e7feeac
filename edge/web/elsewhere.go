package web

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
)

// elsewhere answers a request under any other name than the counter's own: one
// page, the same for everybody, that says how the counter is opened. It reads no
// cookie and sets none. It does not tell the name: a program that asked for it
// could lead the browser to the name at a port of its own, and be sent the cookie.
func (k *Kit) elsewhere(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" && namesLoopback(r) {
		healthy(w, r)
		return
	}
	said := k.book.Match(r.Header.Get("Accept-Language"))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+elsewhereHash+"'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	w.WriteHeader(http.StatusMisdirectedRequest)
	_ = elsewherePage.Execute(w, struct {
		Lang, App, Title, Lead string
		Style                  template.CSS
		Ways                   []string
	}{
		said.Code(), said.Say("app.name"), said.Say("error.host.title"), said.Say("error.host"), elsewhereStyle,
		[]string{said.Say("error.host.shortcut"), said.Say("error.host.program")},
	}) // a browser that went away needs no answer
}

// namesLoopback tells whether a request names the loopback address itself, as
// those do who watch over the program.
func namesLoopback(r *http.Request) bool {
	port, ok := loopbackPort(r)
	if !ok {
		return false
	}
	at := ":" + strconv.Itoa(port)
	return slices.Contains([]string{"127.0.0.1" + at, "localhost" + at, netip.AddrPortFrom(netip.IPv6Loopback(), uint16(port)).String()}, r.Host)
}

// elsewhereStyle is all that the page loads.
const elsewhereStyle = `body{margin:0;font:1.125rem/1.5 system-ui,sans-serif;color:#1c1917;background:#faf8f5}main{max-width:36rem;margin:12vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.3}li{margin:.5rem 0}`

var (
	elsewhereHash = hashOf(elsewhereStyle)
	elsewherePage = template.Must(template.New("elsewhere").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · {{.App}}</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Lead}}</p>
<ul>{{range .Ways}}<li>{{.}}</li>{{end}}</ul>
</main>
</body>
</html>
`))
)

// hashOf names a style to the browser, as Content-Security-Policy does.
func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
