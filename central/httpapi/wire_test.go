package httpapi

import (
	"fmt"
	"strings"
	"testing"
)

// TestSmuggling sends requests that two readers could understand differently.
// None may be answered twice, cause a server error, or reach the executor.
func TestSmuggling(t *testing.T) {
	h := startServer(t, nil)
	bearer := "Authorization: " + h.merchantToken(t)
	length := fmt.Sprintf("Content-Length: %d", len(money))
	hidden := "GET /aeps/banks HTTP/1.1\r\nHost: galla\r\n" + bearer + "\r\n\r\n"
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(money), money)
	post := "POST /aeps/withdrawal HTTP/1.1"
	for name, text := range map[string]string{
		"two lengths that differ":        request(post, []string{bearer, length, "Content-Length: 0"}, money+hidden),
		"two lengths that differ (2)":    request(post, []string{bearer, "Content-Length: 0", length}, money),
		"length list":                    request(post, []string{bearer, fmt.Sprintf("Content-Length: %d, %d", len(money), len(money))}, money),
		"signed length":                  request(post, []string{bearer, fmt.Sprintf("Content-Length: +%d", len(money))}, money),
		"negative length":                request(post, []string{bearer, "Content-Length: -1"}, money),
		"hex length":                     request(post, []string{bearer, "Content-Length: 0x10"}, money),
		"length too large for 64 bits":   request(post, []string{bearer, "Content-Length: 18446744073709551617"}, money),
		"empty length":                   request(post, []string{bearer, "Content-Length: "}, money),
		"chunked and length":             request(post, []string{bearer, "Content-Length: 4", "Transfer-Encoding: chunked"}, chunked+hidden),
		"length and chunked":             request(post, []string{bearer, "Transfer-Encoding: chunked", "Content-Length: 4"}, chunked+hidden),
		"unknown transfer coding":        request(post, []string{bearer, "Transfer-Encoding: xchunked"}, chunked),
		"gzip, chunked":                  request(post, []string{bearer, "Transfer-Encoding: gzip, chunked"}, chunked),
		"chunked twice":                  request(post, []string{bearer, "Transfer-Encoding: chunked", "Transfer-Encoding: identity"}, chunked),
		"chunked, then nothing":          request(post, []string{bearer, "Transfer-Encoding: chunked, identity"}, chunked),
		"vertical tab before chunked":    request(post, []string{bearer, "Transfer-Encoding: \vchunked"}, chunked),
		"space before the colon":         request(post, []string{bearer, length, "Transfer-Encoding : chunked"}, money),
		"space before length's colon":    request(post, []string{bearer, strings.Replace(length, ":", " :", 1)}, money),
		"folded header":                  request(post, []string{bearer, length, "X-Folded: a", " b: c"}, money),
		"folded transfer coding":         request(post, []string{bearer, length, "Transfer-Encoding:", " chunked"}, money),
		"header without colon":           request(post, []string{bearer, length, "nonsense"}, money),
		"header with an empty name":      request(post, []string{bearer, length, ": x"}, money),
		"NUL in a header":                request(post, []string{bearer, length, "X-Nul: a\x00b"}, money),
		"lone carriage return":           request(post, []string{bearer, length, "X-CR: a\rTransfer-Encoding: chunked"}, money),
		"chunk size with garbage":        request(post, []string{bearer, "Transfer-Encoding: chunked"}, "1x\r\n{\r\n0\r\n\r\n"),
		"negative chunk":                 request(post, []string{bearer, "Transfer-Encoding: chunked"}, "-1\r\n{\r\n0\r\n\r\n"),
		"endless chunk size":             request(post, []string{bearer, "Transfer-Encoding: chunked"}, "fffffffffffffffff\r\n{\r\n0\r\n\r\n"),
		"chunk without its end":          request(post, []string{bearer, "Transfer-Encoding: chunked"}, "2\r\n{}GG\r\n0\r\n\r\n"),
		"no length":                      request(post, []string{bearer}, money),
		"body cut off":                   request(post, []string{bearer, "Content-Length: 999999"}, money),
		"body encoding, spaces, capital": request(post, []string{bearer, length, "CONTENT-ENCODING:  gzip"}, money),
		"no Host":                        "GET /aeps/banks HTTP/1.1\r\n" + bearer + "\r\n\r\n",
		"two Hosts":                      request("GET /aeps/banks HTTP/1.1", []string{bearer, "Host: other"}, ""),
		"lines that end with LF":         strings.ReplaceAll(request("GET /aeps/banks HTTP/1.1", []string{bearer}, ""), "\r\n", "\n"),
		"chunked in HTTP/1.0":            request("POST /aeps/withdrawal HTTP/1.0", []string{bearer, "Transfer-Encoding: chunked"}, chunked),
		"HTTP/0.9":                       "GET /aeps/banks\r\n\r\n",
		"HTTP/2 preface":                 "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"TLS":                            "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"nothing":                        "\r\n\r\n",
		"method with NUL":                "P\x00ST /aeps/withdrawal HTTP/1.1\r\nHost: galla\r\n\r\n",
		"two tokens":                     request(post, []string{bearer, bearer, length}, money),
		"tokens in two cases":            request(post, []string{bearer, strings.Replace(bearer, "Authorization", "AUTHORIZATION", 1), length}, money),
		"two keys in two cases":          request(post, []string{bearer, "Idempotency-Key: a", "idempotency-key: b", length}, money),
	} {
		t.Run(name, func(t *testing.T) {
			before := h.executor.count
			all := h.rawRequest(t, text)
			if len(all) > 1 {
				t.Fatalf("%d replies to one request", len(all))
			}
			for _, a := range all {
				if a.status >= 500 || a.status < 400 {
					t.Errorf("HTTP %d %s", a.status, a.body)
				}
			}
			if h.executor.count != before {
				t.Error("the executor was called")
			}
		})
	}
}

// TestHarmlessShapes: what is unusual and means one thing only is served.
func TestHarmlessShapes(t *testing.T) {
	h := startServer(t, nil)
	bearer := "Authorization: " + h.merchantToken(t)
	chunked := fmt.Sprintf("5;x=y\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", money[:5], len(money)-5, money[5:])
	for name, text := range map[string]string{
		"chunked":          request("POST /aeps/withdrawal HTTP/1.1", []string{bearer, "Transfer-Encoding: chunked"}, chunked),
		"HTTP/1.0":         request("POST /aeps/withdrawal HTTP/1.0", []string{bearer, fmt.Sprintf("Content-Length: %d", len(money))}, money),
		"absolute address": request("POST http://galla/aeps/withdrawal HTTP/1.1", []string{bearer, fmt.Sprintf("Content-Length: %d", len(money))}, money),
	} {
		if all := h.rawRequest(t, text); len(all) != 1 || all[0].status != 200 {
			t.Errorf("%s: %d replies, %+v", name, len(all), all)
		}
	}
	// Two requests in one packet are two requests.
	one := request("GET /aeps/banks HTTP/1.1", []string{bearer}, "")
	if all := h.rawRequest(t, one+one); len(all) != 2 || all[0].status != 200 || all[1].status != 200 {
		t.Errorf("%d replies", len(all))
	}
}
