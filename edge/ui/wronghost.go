package ui

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/netip"
	"slices"
	"strconv"

	"galla/shared/webguard"
)

// wrongHost answers a request under any other host name: one page, the same for everybody,
// that says how to open the counter. It neither reads nor sets cookies. It does not
// contain the own name: another local program could lead the browser to that name at its
// own port and receive the cookies.
func (k *Kit) wrongHost(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" && isLoopbackHost(r) {
		serveHealth(w, r)
		return
	}
	words := k.book.Match(r.Header.Get("Accept-Language"))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src '"+wrongHostHash+"'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	w.WriteHeader(http.StatusMisdirectedRequest)
	_ = wrongHostPage.Execute(w, struct {
		Lang, App, Title, Lead string
		Style                  template.CSS
		Ways                   []string
	}{
		words.Code(), words.Text("app.name"), words.Text("error.host.title"), words.Text("error.host"), wrongHostStyle,
		[]string{words.Text("error.host.shortcut"), words.Text("error.host.program")},
	}) // the browser may have gone
}

// isLoopbackHost reports whether a request names the loopback address itself, as
// monitoring does.
func isLoopbackHost(r *http.Request) bool {
	port, ok := webguard.LoopbackPort(r)
	if !ok {
		return false
	}
	at := ":" + strconv.Itoa(port)
	return slices.Contains([]string{"127.0.0.1" + at, "localhost" + at, netip.AddrPortFrom(netip.IPv6Loopback(), uint16(port)).String()}, r.Host)
}

const wrongHostStyle = `body{margin:0;font:1.125rem/1.5 system-ui,sans-serif;color:#1c1917;background:#faf8f5}main{max-width:36rem;margin:12vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.3}li{margin:.5rem 0}`

var (
	wrongHostHash = cspHash(wrongHostStyle)
	wrongHostPage = template.Must(template.New("elsewhere").Parse(`<!doctype html>
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

func cspHash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
