package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// TestRoleBeforeEverything walks routes × roles × bodies: a role that may not
// call is refused whatever else is wrong with the call, and every other role is
// not.
func TestRoleBeforeEverything(t *testing.T) {
	h := startServer(t, nil)
	tokens := map[op.Role]string{
		op.Merchant: h.merchantToken(t), op.Vendor: h.token(t, "vendor-sahyadri", "p:ä +%"), op.Aggregator: h.token(t, "agg-galla", clientSecret),
	}
	bodies := []struct {
		name, body string
		headers    []string
	}{
		{"none", "", nil}, {"an object", "{}", nil}, {"no JSON", "no JSON", nil}, {"no UTF-8", "\xff", nil}, {"duplicates", `{"a":1,"a":1}`, nil},
		{"a byte too many", strings.Repeat("x", maxBody+1), nil}, {"8 MiB", strings.Repeat("x", 8<<20), nil},
		{"gzip", "{}", []string{"Content-Encoding", "gzip"}}, {"identity", "{}", []string{"Content-Encoding", "identity"}},
		{"two keys", "{}", []string{"Idempotency-Key", "a", "Idempotency-Key", "b"}}, {"an empty key", "{}", []string{"Idempotency-Key", ""}},
		{"two ids", "{}", []string{"X-Request-Id", "a", "X-Request-Id", "b"}},
		{"a form", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}}, {"no type", "{}", []string{"Content-Type", ""}},
		{"a multipart form", "x", []string{"Content-Type", "multipart/form-data; boundary=b"}},
	}
	calls, denied := 0, 0
	for _, route := range op.Table() {
		if route.Entrances&op.Direct == 0 || len(route.Roles) == 0 {
			continue
		}
		path := strings.NewReplacer(":vendorId", string(v1), ":slabId", "x", ":id", "x").Replace(route.Path)
		for role, bearer := range tokens {
			if route.Allows(role) {
				calls++
				if a := h.do(t, route.Method, path, "no JSON", "Authorization", bearer); a.status == 403 {
					t.Errorf("%s, %s: HTTP 403", route.ID, role)
				}
				continue
			}
			for _, b := range bodies {
				calls, denied = calls+1, denied+1
				a := h.do(t, route.Method, path+"?x=%ff&x=1", b.body, append([]string{"Authorization", bearer}, b.headers...)...)
				if a.status != 403 || a.text("statusCode") != "01" || a.text("message") != "Access denied" {
					t.Errorf("%s, %s, %s: HTTP %d %s", route.ID, role, b.name, a.status, a.body)
				}
			}
		}
	}
	t.Logf("%d calls, %d of them by a role that may not", calls, denied)
}

// TestRoleBeforeAChunkedBody: a body whose length is not known is not waited
// for either.
func TestRoleBeforeAChunkedBody(t *testing.T) {
	h := startServer(t, nil)
	body, feed := io.Pipe() // 4 MiB and no end: it stays open until the reply has come
	defer feed.Close()
	go func() {
		for range 64 {
			if _, err := feed.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}()
	req, err := http.NewRequest("POST", "http://"+h.addr+"/aeps/withdrawal", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", h.token(t, "agg-galla", clientSecret))
	res, err := h.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	expect(t, checked(t, res, text), 403, "01")
}

// TestTruncatedBodies: a body that ends before it is said to is no body.
func TestTruncatedBodies(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	for what, raw := range map[string]string{
		"a length":              request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, "Content-Length: 9000"}, money),
		"chunks":                request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, "Transfer-Encoding: chunked"}, "400\r\n"+money),
		"between two chunks":    request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, "Transfer-Encoding: chunked"}, "2\r\n{}\r\n"),
		"no chunk":              request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, "Transfer-Encoding: chunked"}, "zz\r\n{}\r\n0\r\n\r\n"),
		"a long one by a third": request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, "Content-Length: 300000"}, strings.Repeat(" ", 200000)),
	} {
		for _, a := range h.rawRequest(t, raw) {
			if a.status != 400 || a.text("statusCode") != "02" {
				t.Errorf("%s: HTTP %d %s", what, a.status, a.body)
			}
		}
	}
	if h.executor.count != 0 {
		t.Error("the executor was called")
	}
}

// TestHead: HEAD answers as GET does, without the body.
func TestHead(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) {
		c.Pages = map[string]Page{"/docs": {ContentType: "text/html", Body: []byte("<p>hello")}}
		c.Redirects = map[string]string{"/": "/docs", "/docs/": "/docs"}
	})
	h.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	bearer := h.merchantToken(t)
	paths := []string{"/docs", "/", "/docs/", "/.well-known/jwks.json"}
	for _, route := range op.Table() {
		if route.Method == http.MethodGet && route.Entrances&op.Direct != 0 {
			paths = append(paths, strings.NewReplacer(":vendorId", string(v1), ":id", "x").Replace(route.Path))
		}
	}
	for _, path := range paths {
		for _, token := range []string{bearer, ""} {
			ask := func(method string) (*http.Response, string) {
				req, err := http.NewRequest(method, "http://"+h.addr+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", token)
				req.Header.Set("X-Request-Id", "same")
				res, err := h.client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				return res, string(text)
			}
			get, _ := ask("GET")
			head, body := ask("HEAD")
			if head.StatusCode != get.StatusCode || body != "" || get.ContentLength > 0 && head.ContentLength != get.ContentLength || head.Header.Get("Location") != get.Header.Get("Location") {
				t.Errorf("%s: HEAD %d with %d bytes, %q; GET %d with %d", path, head.StatusCode, head.ContentLength, body, get.StatusCode, get.ContentLength)
			}
			if head.Close {
				t.Errorf("%s: HEAD ends the connection", path)
			}
		}
	}
	for _, path := range []string{"/", "/docs/"} {
		if res, _ := h.get(t, "GET", path, ""); res.StatusCode != 302 || res.Header.Get("Location") != "/docs" {
			t.Errorf("%s: HTTP %d to %q", path, res.StatusCode, res.Header.Get("Location"))
		}
		if a := expect(t, h.do(t, "POST", path, ""), 405, "04"); a.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %q", path, a.header.Get("Allow"))
		}
	}
	if a := expect(t, h.do(t, "HEAD", "/aeps/withdrawal", ""), 405, ""); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow is %q", a.header.Get("Allow"))
	}
}
