package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"galla/shared/secret"
)

// checksum is gateway.md's, written out once more.
func checksum(key secret.Key, text string) string {
	derive := hmac.New(sha256.New, key.Reveal())
	derive.Write([]byte("galla/gateway/checksum/v1"))
	mac := hmac.New(sha256.New, derive.Sum(nil))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
