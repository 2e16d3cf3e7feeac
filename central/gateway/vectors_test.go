package gateway

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"galla/central"
	"galla/central/keys"
	"galla/shared/envelope"
	"galla/shared/secret"
)

// vector is one message that an independent program made.
type vector struct {
	Name      string `json:"name"`
	Key       string `json:"key_hex"`
	Direction string `json:"direction"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Client    string `json:"client_id"`
	Timestamp string `json:"timestamp"`
	RequestID string `json:"request_id"`
	IV        string `json:"iv"`
	Tag       string `json:"tag"`
	Plain     string `json:"plaintext"`
	Payload   string `json:"payload"`
	Checksum  string `json:"checksum"`
}

// TestVectors sends the requests of the vectors through the real HTTP server, at the
// moment for which they were made.
func TestVectors(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "vectors", "gateway.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the gateway's vectors are not beside the repository (../shared/vectors/gateway.json): %v", err)
	}
	var file struct{ Vectors []vector }
	must(t, json.Unmarshal(text, &file))
	for _, v := range file.Vectors {
		if v.Direction != "request" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			key, err := envelope.ParseKey(v.Key)
			must(t, err)
			head := envelope.Headers{ClientID: v.Client, Timestamp: v.Timestamp, RequestID: v.RequestID, IV: v.IV, Tag: v.Tag, Checksum: v.Checksum}
			at, err := head.Time()
			must(t, err)
			h := startGateway(t, nil)
			h.now = func() time.Time { return at.Add(time.Second) }
			must(t, h.keyStore.Put(t.Context(), keys.Issued{ID: "d0000000-0000-4000-8000-000000000009", Vendor: v1, APIKey: secret.NewToken(v.Client), Key: key}))
			var seen central.Request
			h.Gateway.handler = recordingHandler{h.Gateway.handler, &seen}
			m := message{v.Method, v.Path, wire(head), []byte(`{"payload":"` + v.Payload + `"}`), v.RequestID}
			res, sealedBody := h.exchange(t, m)
			if res.Header.Get("X-Checksum") == "" || string(seen.Body) != v.Plain || seen.Identity != v.RequestID || seen.Principal.Caller() != "vendor:"+string(v1) {
				t.Errorf("HTTP %d %s, handled %+v", res.StatusCode, sealedBody, seen)
			}
			if v.Name == "a query in the path" && (seen.Query["x"] != "1" || seen.Query["y"] != " z") {
				t.Errorf("query %v", seen.Query)
			}
			refusedPlain(t, "the same again, through HTTP", h.send(t, m))
		})
	}
}

// recordingHandler records what is handled.
type recordingHandler struct {
	central.Handler
	seen *central.Request
}

func (s recordingHandler) Handle(ctx context.Context, c central.Request) central.Reply {
	*s.seen = c
	return s.Handler.Handle(ctx, c)
}
