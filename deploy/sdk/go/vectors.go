package galla

import (
	"encoding/json"
	"errors"
	"fmt"
)

// vector is a message of the gateway that another program made.
type vector struct {
	Name       string `json:"name"`
	Direction  string `json:"direction"`
	KeyHex     string `json:"key_hex"`
	KeyBase64  string `json:"key_base64"`
	Method     string `json:"method"`
	Path       string `json:"path"`
	HTTPStatus int    `json:"http_status"`
	ClientID   string `json:"client_id"`
	RequestID  string `json:"request_id"`
	Timestamp  string `json:"timestamp"`
	IV         string `json:"iv"`
	Tag        string `json:"tag"`
	Payload    string `json:"payload"`
	Checksum   string `json:"checksum"`
	Plaintext  string `json:"plaintext"`
}

// CheckVectors checks the envelope with the gateway's test vectors, a file of the operator.
// It gives how many there are; an error names the first that is wrong.
func CheckVectors(file []byte) (int, error) {
	var list struct {
		Vectors []vector `json:"vectors"`
	}
	if err := json.Unmarshal(file, &list); err != nil {
		return 0, fmt.Errorf("galla: read the vectors: %w", err)
	}
	if len(list.Vectors) == 0 {
		return 0, errors.New("galla: the file has no vectors")
	}
	for _, v := range list.Vectors {
		if err := v.check(); err != nil {
			return 0, fmt.Errorf("galla: vector %q: %w", v.Name, err)
		}
	}
	return len(list.Vectors), nil
}

func (v vector) check() error {
	key, err := ParseKey(v.KeyHex)
	if err != nil {
		return err
	}
	other, err := ParseKey(v.KeyBase64)
	if err != nil || string(other.secret) != string(key.secret) {
		return errors.New("the two spellings of the key differ")
	}
	want := Sealed{ClientID: v.ClientID, RequestID: v.RequestID, Timestamp: v.Timestamp, IV: v.IV, Tag: v.Tag, Payload: v.Payload, Checksum: v.Checksum}
	iv, err := decodeBase64(v.IV)
	if err != nil {
		return err
	}
	if v.Direction == "request" {
		got, err := key.SealRequest(v.Method, v.Path, v.ClientID, v.RequestID, v.Timestamp, iv, []byte(v.Plaintext))
		if err != nil || got != want {
			return errors.Join(errors.New("it is sealed differently"), err)
		}
		return nil
	}
	plain, err := key.OpenReply(v.HTTPStatus, want)
	if err != nil || string(plain) != v.Plaintext {
		return errors.Join(errors.New("it opens to another text"), err)
	}
	var again Sealed
	if err := key.encrypt(&again, iv, []byte(v.Plaintext)); err != nil || again.Payload != v.Payload || again.Tag != v.Tag {
		return errors.Join(errors.New("it is sealed differently"), err)
	}
	if _, err := key.OpenReply(v.HTTPStatus+1, want); err == nil {
		return errors.New("it opens with another status")
	}
	return nil
}
