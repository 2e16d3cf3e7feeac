package envelope

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRoundTrip: what was sealed opens to the same bytes, and to nothing under
// another key, method or path.
func TestRoundTrip(t *testing.T) {
	key := testKey(t)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "plain")
		iv := rapid.SliceOfN(rapid.Byte(), IVSize, IVSize).Draw(t, "iv")
		client := rapid.StringMatching(`[!-~]{1,40}`).Draw(t, "client")
		path := "/" + rapid.StringMatching(`[!-~]{0,60}`).Draw(t, "path")
		at := time.UnixMilli(rapid.Int64Range(0, 999_999_999_999_999).Draw(t, "at"))
		id := rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "id")

		h, body, err := key.SealRequest("POST", path, client, id, at, plain, fixedReader(iv))
		if err != nil {
			t.Fatal(err)
		}
		s := sealed{"POST", path, h, string(body)}
		got, err := s.open(key)
		if err != nil || got != string(plain) {
			t.Fatalf("opened to %q, %v", got, err)
		}
		if then, err := h.Time(); err != nil || !then.Equal(at) {
			t.Fatalf("time %v, %v", then, err)
		}
		for _, other := range []sealed{{"GET", path, h, string(body)}, {"POST", path + "x", h, string(body)}} {
			if _, err := other.open(key); err == nil {
				t.Fatal("opened as another request")
			}
		}
		status := rapid.IntRange(200, 599).Draw(t, "status")
		h, body, err = key.SealReply(status, id, at, plain, fixedReader(iv))
		if err != nil {
			t.Fatal(err)
		}
		if err := (sealed{h: h, body: string(body)}).openReply(key, status); err != nil {
			t.Fatal(err)
		}
	})
}

// TestManyAtOnce: one key serves many goroutines.
func TestManyAtOnce(t *testing.T) {
	key := testKey(t)
	s := oneRequest(t, key)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if got, err := s.open(key); err != nil || got != `{"TxnAmount":500}` {
					t.Errorf("opened to %q, %v", got, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// FuzzPayload holds the scanner against encoding/json: what it takes, the other
// reads to the same text.
func FuzzPayload(f *testing.F) {
	for _, s := range []string{`{"payload":"Lb4="}`, ` { "payload" : "\/\u002b" } `, `{"payload":"a","payload":"b"}`, `{"payload":"` + "\xff" + `"}`, `{"payload":"\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		payload, err := Payload(body)
		if err != nil {
			return
		}
		var read map[string]string
		if err := json.Unmarshal(body, &read); err != nil || len(read) != 1 || read["payload"] != string(payload) {
			t.Errorf("%q was read to %q; encoding/json reads %v, %v", body, payload, read, err)
		}
	})
}

// FuzzHeaders: what is accepted is canonical, and nothing panics.
func FuzzHeaders(f *testing.F) {
	h := oneRequest(f, testKey(f)).h
	f.Add(h.ClientID, h.Timestamp, h.RequestID, h.IV, h.Tag, h.Checksum)
	f.Add("", "0", "", "\n", "====", "ff")
	f.Fuzz(func(t *testing.T, client, stamp, id, iv, tag, sum string) {
		h := Headers{client, stamp, id, iv, tag, sum}
		if h.Request() != nil {
			return
		}
		at, err := h.Time()
		if err != nil || fmt.Sprint(at.UnixMilli()) != stamp {
			t.Errorf("timestamp %q is read to %v, %v", stamp, at, err)
		}
		for text, size := range map[string]int{iv: IVSize, tag: TagSize} {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil || len(raw) != size || base64.StdEncoding.EncodeToString(raw) != text {
				t.Errorf("%q is accepted for %d bytes", text, size)
			}
		}
		if strings.ToLower(sum+id) != sum+id || len(client) > MaxClientID {
			t.Errorf("%+v is accepted", h)
		}
	})
}

// FuzzOpen takes a whole message through all steps, and the last one alone:
// nothing panics, nothing opens.
func FuzzOpen(f *testing.F) {
	key := testKey(f)
	s := oneRequest(f, key)
	whole := s
	f.Add(s.method, s.path, s.h.ClientID, s.h.Timestamp, s.h.RequestID, s.h.IV, s.h.Tag, s.h.Checksum, []byte(s.body))
	f.Add("GET", "/", "", "", "", "", "", "", []byte(`{"payload":""}`))
	f.Add("GET", "/", "a", "1", "", "AAAA", "AA==", "", []byte(`{"payload":"QUJD"}`))
	f.Fuzz(func(t *testing.T, method, path, client, stamp, id, iv, tag, sum string, body []byte) {
		s := sealed{method, path, Headers{client, stamp, id, iv, tag, sum}, string(body)}
		if _, err := s.open(key); err == nil && !sameMessage(s, whole) {
			t.Errorf("%+v opens", s)
		}
		if plain, err := key.Decrypt(s.h, body); err == nil {
			t.Errorf("%+v decrypts to %q", s, plain)
		}
		if payload, err := Payload(body); err == nil {
			raw := make([]byte, base64.StdEncoding.DecodedLen(len(payload)))
			n, ok := decodeTo(raw, payload)
			if ok && base64.StdEncoding.EncodeToString(raw[:n]) != string(payload) {
				t.Errorf("%q is taken for base64", payload)
			}
		}
	})
}

// sameMessage allows for the white space and escapes of JSON around a payload.
func sameMessage(a, b sealed) bool {
	pa, errA := Payload([]byte(a.body))
	pb, errB := Payload([]byte(b.body))
	return errA == nil && errB == nil && bytes.Equal(pa, pb) && a.h == b.h && a.method == b.method && a.path == b.path
}

// BenchmarkEnvelope is the cost of one message of a usual body, and of one with
// a large capture in it.
func BenchmarkEnvelope(b *testing.B) {
	key := testKey(b)
	for _, size := range []int{4 << 10, 180 << 10} {
		plain := bytes.Repeat([]byte("x"), size)
		h, body, err := key.SealRequest("POST", "/process/aeps/withdrawal", "vk_sandbox_sahyadri", "bd97163b-32d4-49f5-85e5-f63c15ce68b0", time.UnixMilli(1767225600000), plain, fixedReader("abcdefghijkl"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("seal/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := key.SealReply(200, "bd97163b-32d4-49f5-85e5-f63c15ce68b0", time.UnixMilli(1767225600000), plain, fixedReader("abcdefghijkl")); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("open/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			s := sealed{"POST", "/process/aeps/withdrawal", h, ""}
			for b.Loop() {
				payload, err := Payload(body)
				if err != nil || s.h.Request() != nil || !key.SignsRequest(s.method, s.path, s.h, payload) {
					b.Fatal("refused")
				}
				if _, err := key.Decrypt(s.h, payload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		raw, err := ParseKey(strings.Repeat("5a", KeySize))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := New(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
