package secret

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"io"
	"reflect"
	"testing"
)

// TestMAC: a state that was used before gives the same sum as a new one.
func TestMAC(t *testing.T) {
	key := []byte("a key")
	m := NewMAC(NewKey(key))
	for _, text := range []string{"", "one", "another, and a longer one"} {
		fresh := hmac.New(sha256.New, key)
		fresh.Write([]byte(text + "!"))
		sum := func() [sha256.Size]byte {
			return m.Sum(func(mac hash.Hash) {
				_, _ = io.WriteString(mac, text)
				mac.Write([]byte{'!'})
			})
		}
		if got := sum(); string(got[:]) != string(fresh.Sum(nil)) {
			t.Errorf("%q has the sum %x", text, got)
		}
	}
}

// TestMACKeepsNothing: a state keeps nothing of what it summed, such as an Aadhaar number.
func TestMACKeepsNothing(t *testing.T) {
	m := NewMAC(NewKey([]byte("a key")))
	const text = "499118665246"
	for range 2 { // a new state, and one that was used before
		var state hash.Hash
		m.Sum(func(mac hash.Hash) {
			state = mac
			_, _ = io.WriteString(mac, text)
		})
		if held := bytesIn(reflect.ValueOf(state)); bytes.Contains(held, []byte(text)) {
			t.Error("the state holds the text")
		}
	}
}

// bytesIn returns the bytes that a value leads to, those behind the end of a slice as well.
func bytesIn(v reflect.Value) (out []byte) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			out = bytesIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, bytesIn(v.Field(i))...)
		}
	case reflect.Slice:
		v = v.Slice(0, v.Cap())
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			out = append(out, bytesIn(v.Index(i))...)
		}
	case reflect.Uint8:
		out = []byte{byte(v.Uint())}
	}
	return out
}
