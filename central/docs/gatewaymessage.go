package docs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/shared/envelope"
)

// The message of the page. Its time is long past, so no gateway accepts it.
const (
	clientID  = "vk_sandbox_sahyadri"
	keyHex    = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	otherID   = "vk_sandbox_deccan"
	merchant  = "c0000000-0000-4000-8000-000000000001"
	merchant3 = "c0000000-0000-4000-8000-000000000003"

	requestMethod = "POST"
	requestRoute  = "/dmt/txn/v1/remitter/details"
	requestPath   = "/process" + requestRoute
	requestID     = "bd97163b-32d4-49f5-85e5-f63c15ce68b0"
	plainText     = `{"merchantId":"` + merchant + `","sender_mobilenumber":"9000000001"}`

	status    = 200
	replyText = `{"statusCode":"00","message":"sender found","data":{"senderId":"7b0c5f52-1f1c-4f6e-8b57-5f2f1d6c1a01","status":true}}`

	checksumLabel = "galla/gateway/checksum/v1"
)

// otherKey is the second vendor's key: 32 bytes from 0x40 on.
func otherKey() string {
	raw := make([]byte, envelope.KeySize)
	for i := range raw {
		raw[i] = byte(0x40 + i)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// fixedIV is a reader that gives one IV.
type fixedIV [envelope.IVSize]byte

func (f fixedIV) Read(p []byte) (int, error) { return copy(p, f[:]), nil }

func requestIV() fixedIV {
	return fixedIV([]byte{0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab})
}
func replyIV() fixedIV {
	return fixedIV([]byte{0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xbb})
}

func sentAt() time.Time    { return time.UnixMilli(1767225600000) } // 2026-01-01, 05:30 in India
func repliedAt() time.Time { return time.UnixMilli(1767225600212) }

// message is one message in all its forms.
type message struct {
	Headers    envelope.Headers
	IVHex      string
	Plain      string
	CipherHex  string
	TagHex     string
	Payload    string
	Body       string
	Text       string // what the checksum covers
	CipherSize int
}

// sealedRequest seals the page's message.
func sealedRequest(key *envelope.Key) (message, error) {
	iv := requestIV()
	h, body, err := key.SealRequest(requestMethod, requestPath, clientID, requestID, sentAt(), []byte(plainText), iv)
	if err != nil {
		return message{}, err
	}
	m, err := describeMessage(h, body, plainText, iv)
	m.Text = envelope.RequestText(requestMethod, requestPath, h, []byte(m.Payload))
	if err == nil && !key.SignsRequest(requestMethod, requestPath, h, []byte(m.Payload)) {
		err = errors.New("the message of the page does not open")
	}
	return m, err
}

// sealedReply seals the page's reply.
func sealedReply(key *envelope.Key) (message, error) {
	iv := replyIV()
	h, body, err := key.SealReply(status, requestID, repliedAt(), []byte(replyText), iv)
	if err != nil {
		return message{}, err
	}
	m, err := describeMessage(h, body, replyText, iv)
	m.Text = envelope.ReplyText(status, h, []byte(m.Payload))
	return m, err
}

func describeMessage(h envelope.Headers, body []byte, plain string, iv fixedIV) (message, error) {
	payload, err := envelope.Payload(body)
	if err != nil {
		return message{}, err
	}
	raw, err := base64.StdEncoding.DecodeString(string(payload))
	if err != nil {
		return message{}, err
	}
	tag, err := base64.StdEncoding.DecodeString(h.Tag)
	return message{
		Headers: h, IVHex: hex.EncodeToString(iv[:]), Plain: plain, CipherHex: hex.EncodeToString(raw), CipherSize: len(raw),
		TagHex: hex.EncodeToString(tag), Payload: string(payload), Body: string(body),
	}, err
}

// mistake is a wrong value of the message and its cause.
type mistake struct {
	Where, Value, What string
}

// commonMistakes are the values that common mistakes produce for the page's
// message. An error says that one of them is the right value.
func commonMistakes(m message) ([]mistake, error) {
	raw, err := hex.DecodeString(keyHex)
	if err != nil {
		return nil, err
	}
	sealed, err := hex.DecodeString(m.CipherHex + m.TagHex)
	if err != nil {
		return nil, err
	}
	derived := hmacSHA256(raw, checksumLabel)
	sign := func(key []byte, text string) string { return hex.EncodeToString(hmacSHA256(key, text)) }
	digest := hmacSHA256(derived, m.Text)
	swap := func(from, to string) string { return strings.Replace(m.Text, from, to, 1) }
	list := []mistake{
		{envelope.HeaderChecksum, sign(raw, m.Text), "Keyed with the encryption key. The checksum has a key of its own: step 1."},
		{envelope.HeaderChecksum, sign(hmacSHA256([]byte(keyHex), checksumLabel), m.Text), "The key's 64 characters were used as the key. Decode the hex (or the base64) to 32 bytes first."},
		{envelope.HeaderChecksum, sign([]byte(hex.EncodeToString(derived)), m.Text), "The checksum's key was used in hex. It is 32 bytes, too."},
		{envelope.HeaderChecksum, sign(derived, m.Text+"\n"), "The text ends with a line break. There is none after the last line."},
		{envelope.HeaderChecksum, sign(derived, strings.ReplaceAll(m.Text, "\n", "\r\n")), "The lines are joined by CR LF. Only LF."},
		{envelope.HeaderChecksum, sign(derived, strings.ReplaceAll(m.Text, "\n", "")), "The lines are joined by nothing."},
		{envelope.HeaderChecksum, sign(derived, swap(requestPath, requestRoute)), "The path lacks /process."},
		{envelope.HeaderChecksum, sign(derived, swap("\n"+requestMethod+"\n", "\n"+strings.ToLower(requestMethod)+"\n")), "The method is in lower case."},
		{envelope.HeaderChecksum, sign(derived, swap(m.Payload, m.Body)), "The last line is the whole body. It is the base64 text alone."},
		{envelope.HeaderChecksum, sign(derived, swap(m.Payload, m.Plain)), "The last line is the JSON in the clear. It is the base64 text."},
		{envelope.HeaderChecksum, strings.ToUpper(hex.EncodeToString(digest)), "Right, but in capitals. Lower-case hex is the only spelling."},
		{envelope.HeaderChecksum, base64.StdEncoding.EncodeToString(digest), "Right, but in base64. It is hex."},
		{"payload", base64.StdEncoding.EncodeToString(sealed), "The tag stands at the end of the ciphertext, where many libraries put it. Cut the last 16 bytes off: they go into X-Tag."},
		{"payload", m.CipherHex, "In hex. It is base64."},
		{"payload", base64.URLEncoding.EncodeToString(sealed[:m.CipherSize]), "In the URL alphabet (- and _). Use the standard one (+ and /)."},
		{envelope.HeaderTag, strings.TrimRight(m.Headers.Tag, "="), "Without padding. Keep the = at the end."},
		{envelope.HeaderTimestamp, fmt.Sprint(sentAt().Unix()), "In seconds. It is milliseconds."},
		{envelope.HeaderRequestID, strings.ToUpper(m.Headers.RequestID), "In capitals. UUIDs are in lower case."},
	}
	right := m.Headers
	for _, s := range list {
		for _, r := range []string{right.Checksum, right.Tag, right.Timestamp, right.RequestID, m.Payload} {
			if s.Value == r {
				return nil, fmt.Errorf("the mistake %q gives the right value", s.What)
			}
		}
	}
	return list, nil
}

func hmacSHA256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
