package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestParseKey(t *testing.T) {
	const asHex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	const asBase64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"hex", asHex, true},
		{"hex in capitals", strings.ToUpper(asHex), true},
		{"base64", asBase64, true},
		{"empty", "", false},
		{"short hex", asHex[2:], false},
		{"long hex", asHex + "20", false},
		{"no hex", "g" + asHex[1:], false},
		{"hex and a line break", asHex + "\n", false},
		{"base64 without padding", strings.TrimRight(asBase64, "="), false},
		{"base64 of 33 bytes", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", false},
		{"base64 of 31 bytes", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", false},
		{"base64 with loose bits", strings.Replace(asBase64, "8=", "9=", 1), false},
		{"base64 with a line break", strings.Replace(asBase64, "AAEC", "AAE\n", 1), false},
		{"URL alphabet", strings.Replace(asBase64, "AAEC", "AA_-", 1), false},
	} {
		key, err := ParseKey(tt.text)
		if tt.ok != (err == nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && !errors.Is(err, ErrKey) {
			t.Errorf("%s: error %v, want ErrKey", tt.name, err)
		}
		if tt.ok && key.Reveal()[31] != 0x1f {
			t.Errorf("%s: read to another key", tt.name)
		}
	}
}

// sealed is one request, whole.
type sealed struct {
	method, path string
	h            Headers
	body         string
}

func oneRequest(t testing.TB, key *Key) sealed {
	t.Helper()
	s := sealed{method: "POST", path: "/process/aeps/withdrawal?a=1"}
	h, body, err := key.SealRequest(s.method, s.path, "vk_sandbox_sahyadri", "bd97163b-32d4-49f5-85e5-f63c15ce68b0",
		time.UnixMilli(1767225600000), []byte(`{"TxnAmount":500}`), fixedReader("abcdefghijkl"))
	if err != nil {
		t.Fatal(err)
	}
	s.h, s.body = h, string(body)
	return s
}

// open takes a request through all steps, and says which one refused it.
func (s sealed) open(key *Key) (string, error) {
	payload, err := Payload([]byte(s.body))
	if err != nil {
		return "", err
	}
	if err := s.h.Request(); err != nil {
		return "", err
	}
	if !key.SignsRequest(s.method, s.path, s.h, payload) {
		return "", errors.New("checksum")
	}
	plain, err := key.Decrypt(s.h, payload)
	return string(plain), err
}

// parts are the texts of a message, to be changed one at a time.
func (s *sealed) parts() map[string]*string {
	return map[string]*string{
		"method": &s.method, "path": &s.path, "body": &s.body,
		HeaderClientID: &s.h.ClientID, HeaderTimestamp: &s.h.Timestamp, HeaderRequestID: &s.h.RequestID,
		HeaderIV: &s.h.IV, HeaderTag: &s.h.Tag, HeaderChecksum: &s.h.Checksum,
	}
}

// TestEveryBitCounts flips each single bit of one message: each is refused, in
// requests and replies alike.
func TestEveryBitCounts(t *testing.T) {
	key := testKey(t)
	whole := oneRequest(t, key)
	if plain, err := whole.open(key); err != nil || plain != `{"TxnAmount":500}` {
		t.Fatalf("opened to %q, %v", plain, err)
	}
	flips := 0
	for name := range whole.parts() {
		text := *whole.parts()[name]
		for bit := range 8 * len(text) {
			broken := whole
			*broken.parts()[name] = flip(text, bit)
			flips++
			if _, err := broken.open(key); err == nil {
				t.Errorf("%s with bit %d flipped is accepted", name, bit)
			}
		}
	}
	t.Logf("%d single bits of a request", flips)

	h, body, err := key.SealReply(200, whole.h.RequestID, time.UnixMilli(1767225600004), []byte(`{"statusCode":"00"}`), fixedReader("mnopqrstuvwx"))
	if err != nil {
		t.Fatal(err)
	}
	reply := sealed{h: h, body: string(body)}
	if err := reply.openReply(key, 200); err != nil {
		t.Fatal(err)
	}
	for bit := range 10 {
		if reply.openReply(key, 200^1<<bit) == nil {
			t.Errorf("status %d is accepted in place of 200", 200^1<<bit)
		}
	}
	for name := range reply.parts() {
		text := *reply.parts()[name]
		for bit := range 8 * len(text) {
			broken := reply
			*broken.parts()[name] = flip(text, bit)
			if broken.openReply(key, 200) == nil {
				t.Errorf("%s of a reply with bit %d flipped is accepted", name, bit)
			}
		}
	}
}

func (s sealed) openReply(key *Key, status int) error {
	payload, err := Payload([]byte(s.body))
	if err != nil {
		return err
	}
	if err := s.h.Reply(); err != nil {
		return err
	}
	if !key.SignsReply(status, s.h, payload) {
		return errors.New("checksum")
	}
	_, err = key.Decrypt(s.h, payload)
	return err
}

func flip(text string, bit int) string {
	b := []byte(text)
	b[bit/8] ^= 1 << (bit % 8)
	return string(b)
}

// TestDecryptAloneSeesDamage: the tag guards what the checksum guards already.
func TestDecryptAloneSeesDamage(t *testing.T) {
	key := testKey(t)
	s := oneRequest(t, key)
	found, err := Payload([]byte(s.body))
	if err != nil {
		t.Fatal(err)
	}
	payload := string(found)
	for _, text := range []*string{&payload, &s.h.IV, &s.h.Tag} {
		whole := *text
		for bit := range 8 * len(whole) {
			*text = flip(whole, bit)
			if plain, err := key.Decrypt(s.h, []byte(payload)); !errors.Is(err, ErrDecrypt) || plain != nil {
				t.Fatalf("bit %d flipped: %q, %v", bit, plain, err)
			}
		}
		*text = whole
	}
	for _, cut := range []string{"", "AAAA", s.h.Tag[:20], s.h.Tag[:21] + "===", s.h.Tag + s.h.Tag} {
		broken := s.h
		broken.Tag = cut
		if _, err := key.Decrypt(broken, found); !errors.Is(err, ErrDecrypt) {
			t.Errorf("tag %q: %v", cut, err)
		}
		broken = s.h
		broken.IV = cut
		if _, err := key.Decrypt(broken, found); !errors.Is(err, ErrDecrypt) {
			t.Errorf("IV %q: %v", cut, err)
		}
	}
}

// TestHeaderForms changes one header at a time; the error names it and holds no
// value.
func TestHeaderForms(t *testing.T) {
	good := oneRequest(t, testKey(t)).h
	if err := good.Request(); err != nil {
		t.Fatal(err)
	}
	set := func(name, value string) Headers {
		s := sealed{h: good}
		*s.parts()[name] = value
		return s.h
	}
	for name, values := range map[string][]string{
		HeaderClientID:  {"", " vk_canary", "vk_canary\n", "vk canary", "vk_canaryé", "vk_canary" + strings.Repeat("a", MaxClientID)},
		HeaderTimestamp: {"", "-1767225600000", "+1767225600000", "01767225600000", "1767225600000.0", "1767225600000 ", "1e12", "0x10", "１７", "1234567890123456", strings.Repeat("9", 400)},
		HeaderRequestID: {"", strings.ToUpper(good.RequestID), "{" + good.RequestID + "}", strings.ReplaceAll(good.RequestID, "-", ""), good.RequestID + "0", good.RequestID[:35] + "g", good.RequestID[:8] + "0" + good.RequestID[9:], "urn:uuid:" + good.RequestID},
		HeaderIV:        {"", good.IV + "AAAA", good.IV[:12], good.IV[:15] + "\n", " " + good.IV[1:], strings.Repeat("_", 16), "YWJjZGVmZ2hpamk=", good.IV[:8] + "\r\n" + good.IV[8:]},
		HeaderTag:       {"", good.Tag[:22], good.Tag[:21] + "B==", good.Tag[:20], good.Tag[:23] + "A", good.Tag + "\n", strings.Repeat("-", 22) + "=="},
		HeaderChecksum:  {"", strings.ToUpper("a" + good.Checksum[1:]), good.Checksum[:63], good.Checksum + "0", "g" + good.Checksum[1:], "0x" + good.Checksum[2:]},
	} {
		for _, value := range values {
			err := set(name, value).Request()
			if err == nil || !strings.HasPrefix(err.Error(), name+":") {
				t.Errorf("%s: %q gives %v", name, value, err)
			}
			if err != nil && len(value) > 4 && strings.Contains(err.Error(), value) {
				t.Errorf("%s: the error quotes the value: %v", name, err)
			}
		}
	}
	if err := good.Reply(); err == nil || !strings.HasPrefix(err.Error(), HeaderClientID) {
		t.Errorf("a reply with a client id gives %v", err)
	}
	if at, err := good.Time(); err != nil || at.UnixMilli() != 1767225600000 {
		t.Errorf("Time gives %v, %v", at, err)
	}
}

func TestPayloadForms(t *testing.T) {
	for _, tt := range []struct {
		body, want string
		ok         bool
	}{
		{`{"payload":"Lb4="}`, "Lb4=", true},
		{" {\r\n\t\"payload\" : \"Lb4=\" }\n", "Lb4=", true},
		{`{"payload":"\/\u002b\u002F+"}`, "/+/+", true}, // as PHP and some others write it
		{`{"\u0070ayload":"Lb4="}`, "Lb4=", true},
		{`{"payload":""}`, "", true},
		{`{"payload":" L\\\""}`, ` L\"`, true}, // JSON; Decrypt refuses it
		{``, "", false},
		{`{}`, "", false},
		{`null`, "", false},
		{`"Lb4="`, "", false},
		{`["payload","Lb4="]`, "", false},
		{`{"Payload":"Lb4="}`, "", false},
		{`{"payload":null}`, "", false},
		{`{"payload":4}`, "", false},
		{`{"payload":["Lb4="]}`, "", false},
		{`{"payload":"Lb4="`, "", false},
		{`{"payload":"Lb4=}`, "", false},
		{`{"payload":"Lb4=",}`, "", false},
		{`{"payload":"Lb4="}}`, "", false},
		{`{"payload":"Lb4="}{"payload":"Lb4="}`, "", false},
		{`{"payload":"Lb4=","payload":"Lb4="}`, "", false},
		{`{"payload":"Lb4=","more":1}`, "", false},
		{`{payload:"Lb4="}`, "", false},
		{`{'payload':'Lb4='}`, "", false},
		{"\ufeff" + `{"payload":"Lb4="}`, "", false},
		{`{"payload":"Lb4=\n"}`, "", false},
		{"{\"payload\":\"Lb4=\n\"}", "", false},
		{"{\"payload\":\"Lb4=\x00\"}", "", false},
		{`{"payload":"Lb4\u003"}`, "", false},
		{`{"payload":"Lb4\u00+3"}`, "", false},
		{`{"payload":"Lb4\u013d"}`, "", false},
		{`{"payload":"\x4c"}`, "", false},
		{`{"payload":"\`, "", false},
		{`{"payload":"\u00`, "", false},
		{`{"payload":"Lb4é"}`, "", false},
		{"{\"payload\":\"\xff\"}", "", false},
	} {
		got, err := Payload([]byte(tt.body))
		if tt.ok != (err == nil) || string(got) != tt.want {
			t.Errorf("%q gives %q, %v", tt.body, got, err)
		}
	}
}

// TestSealRefuses what would not arrive as it was signed.
func TestSealRefuses(t *testing.T) {
	key := testKey(t)
	const id = "bd97163b-32d4-49f5-85e5-f63c15ce68b0"
	at := time.UnixMilli(1767225600000)
	for _, tt := range []struct{ name, method, path, client, id string }{
		{"no path", "POST", "", "vk", id},
		{"a whole URL", "POST", "https://galla.example/process/aeps/banks", "vk", id},
		{"a line break in the path", "POST", "/process\n/x", "vk", id},
		{"a space in the method", "PO ST", "/process", "vk", id},
		{"no client", "POST", "/process", "", id},
		{"no UUID", "POST", "/process", "vk", "42"},
	} {
		if _, _, err := key.SealRequest(tt.method, tt.path, tt.client, tt.id, at, nil, fixedReader("abcdefghijkl")); err == nil {
			t.Errorf("%s is sealed", tt.name)
		}
	}
	if _, _, err := key.SealReply(200, "42", at, nil, fixedReader("abcdefghijkl")); err == nil {
		t.Error("a reply to no request is sealed")
	}
	if _, _, err := key.SealReply(200, id, at, nil, strings.NewReader("short")); err == nil {
		t.Error("a reply is sealed without an IV")
	}
	if _, _, err := key.SealReply(200, id, time.Unix(-1, 0), nil, fixedReader("abcdefghijkl")); err == nil {
		t.Error("a reply is sealed before 1970")
	}
}

// TestSignsRefusesSplitLines: a line break in a path must not let one message
// pass for another.
func TestSignsRefusesSplitLines(t *testing.T) {
	key := testKey(t)
	s := oneRequest(t, key)
	payload, err := Payload([]byte(s.body))
	if err != nil {
		t.Fatal(err)
	}
	moved := s.h
	moved.ClientID = ""
	if key.SignsRequest("POST\n"+s.path, s.h.ClientID, moved, payload) {
		t.Error("a message with its lines moved is accepted")
	}
}

func TestKeyPrintsAMask(t *testing.T) {
	key := testKey(t)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", "key", key)
	text, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{fmt.Sprint(key), fmt.Sprintf("%+v %#v %x", key, key, key), fmt.Sprintf("%v", struct{ K *Key }{key}), string(text), log.String()} {
		if !strings.Contains(printed, masked) && !strings.Contains(printed, "0x") {
			t.Errorf("a key prints as %s", printed)
		}
		if strings.Contains(printed, "aead") || strings.Contains(printed, "gcm") {
			t.Errorf("a key prints its inside: %s", printed)
		}
	}
}
