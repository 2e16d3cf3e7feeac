package envelope

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"galla/shared/secret"
)

// vector is one message that an independent program made.
type vector struct {
	Name        string `json:"name"`
	KeyHex      string `json:"key_hex"`
	KeyBase64   string `json:"key_base64"`
	Direction   string `json:"direction"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Status      int    `json:"http_status"`
	ClientID    string `json:"client_id"`
	Timestamp   string `json:"timestamp"`
	RequestID   string `json:"request_id"`
	IV          string `json:"iv"`
	Tag         string `json:"tag"`
	Plaintext   string `json:"plaintext"`
	Payload     string `json:"payload"`
	Checksum    string `json:"checksum"`
	ChecksumKey string `json:"checksum_key_hex"`
}

func (v vector) headers() Headers {
	return Headers{ClientID: v.ClientID, Timestamp: v.Timestamp, RequestID: v.RequestID, IV: v.IV, Tag: v.Tag, Checksum: v.Checksum}
}

func vectors(t *testing.T) []vector {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "vectors", "gateway.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the gateway's vectors are not beside the repository (../shared/vectors/gateway.json): %v", err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 {
		t.Fatalf("%s has no vectors", path)
	}
	return file.Vectors
}

// TestVectors opens each message of the vectors, and seals it again to the same
// bytes.
func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			asHex, err := ParseKey(v.KeyHex)
			if err != nil {
				t.Fatal(err)
			}
			asBase64, err := ParseKey(v.KeyBase64)
			if err != nil || !asHex.Equal(asBase64) {
				t.Fatalf("the key in base64 differs from that in hex: %v", err)
			}
			key, err := New(asHex)
			if err != nil {
				t.Fatal(err)
			}
			h, at := v.headers(), time.Time{}
			signed, form := key.SignsRequest(v.Method, v.Path, h, []byte(v.Payload)), h.Request()
			if v.Direction == "response" {
				signed, form = key.SignsReply(v.Status, h, []byte(v.Payload)), h.Reply()
			}
			if form != nil || !signed {
				t.Errorf("form %v, checksum right %t", form, signed)
			}
			if at, err = h.Time(); err != nil {
				t.Error(err)
			}
			plain, err := key.Decrypt(h, []byte(v.Payload))
			if err != nil || string(plain) != v.Plaintext {
				t.Errorf("opened to %q, %v, want %q", plain, err, v.Plaintext)
			}
			iv, _ := base64.StdEncoding.DecodeString(v.IV)
			var again Headers
			var sealed []byte
			if v.Direction == "response" {
				again, sealed, err = key.SealReply(v.Status, v.RequestID, at, []byte(v.Plaintext), fixedReader(iv))
			} else {
				again, sealed, err = key.SealRequest(v.Method, v.Path, v.ClientID, v.RequestID, at, []byte(v.Plaintext), fixedReader(iv))
			}
			if err != nil || again != h {
				t.Errorf("sealed again to %+v, %v, want %+v", again, err, h)
			}
			if payload, err := Payload(sealed); err != nil || string(payload) != v.Payload {
				t.Errorf("payload %q, %v, want %q", payload, err, v.Payload)
			}
		})
	}
}

// fixedReader is randomness that gives these bytes.
type fixedReader []byte

func (d fixedReader) Read(p []byte) (int, error) { return copy(p, d), nil }

// testKey is the key that counts up from 0.
func testKey(t testing.TB) *Key {
	t.Helper()
	raw := make([]byte, KeySize)
	for i := range raw {
		raw[i] = byte(i)
	}
	parsed, err := ParseKey(hex.EncodeToString(raw))
	if err != nil {
		t.Fatal(err)
	}
	key, err := New(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestNewWantsAWholeKey(t *testing.T) {
	for _, n := range []int{0, 16, 24, 31, 33} {
		if _, err := New(secret.NewKey(make([]byte, n))); err == nil {
			t.Errorf("a key of %d bytes was taken", n)
		}
	}
}
