package books

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"galla/central/bank/network"
	"galla/rdservice/rdcrypto"
	"galla/shared/secret"
)

// Limits of a PID block's time (domain.md).
const (
	pidMaxAge   = 20 * time.Minute
	pidMaxAhead = 5 * time.Minute // clocks at counters are wrong, but not more than this
)

// openedPID is what is known of a PID block before the books are asked.
type openedPID struct {
	refuse  string    // the response code if it can't be used at all; else empty
	taken   time.Time // when it was captured
	matches bool      // every biometric in it is the resident's
	hmac    []byte    // names it in the books
}

// openPIDBlock opens a PID block and compares its biometrics. Nothing of it is kept.
func (b *Books) openPIDBlock(t network.Transaction) openedPID {
	pid, err := rdcrypto.Open([]byte(t.PidData.Reveal()), b.cfg.AuthorityKey, b.cfg.AuthorityCert)
	switch {
	case errors.Is(err, rdcrypto.ErrCertificate):
		return openedPID{refuse: codeCertificate}
	case errors.Is(err, rdcrypto.ErrSessionKey):
		return openedPID{refuse: codeSessionKey}
	case errors.Is(err, rdcrypto.ErrEncryption):
		return openedPID{refuse: codeEncryption}
	case errors.Is(err, rdcrypto.ErrHMAC):
		return openedPID{refuse: codeHMAC}
	case errors.Is(err, rdcrypto.ErrSignature):
		return openedPID{refuse: codeDevice}
	case err != nil:
		return openedPID{refuse: codeFormat}
	case pid.Time.After(pid.Device.Certificate.NotAfter):
		return openedPID{refuse: codeDeviceExpired}
	}
	out := openedPID{taken: pid.Time, matches: len(pid.Bios) > 0, hmac: b.mac("pid", pid.Digest[:])}
	for _, bio := range pid.Bios {
		if _, ok := rdcrypto.Match(t.Aadhaar.Reveal(), bio.Raw.Reveal()); !ok {
			out.matches = false
		}
	}
	return out
}

// timeCode judges a PID block's time: a response code, or empty.
func (e openedPID) timeCode(now time.Time) string {
	switch {
	case e.taken.After(now.Add(pidMaxAhead)):
		return codePidTime
	case e.taken.Before(now.Add(-pidMaxAge)):
		return codePidOld
	}
	return ""
}

// claimPID notes that a PID block was presented with a transaction. It reports
// false where the block had its use already: one block serves one transaction
// and the one agent authentication that is marked inline with it.
func (k ledger) claimPID(e openedPID, t network.Transaction, id int64) (bool, error) {
	owner, column := t.Reference, "transaction_id"
	if t.InlineFor != "" {
		owner, column = t.InlineFor, "inline_auth_id"
	}
	res, err := k.q.ExecContext(k.ctx, `INSERT INTO pid_blocks (hmac, belongs_to, `+column+`) VALUES (?, ?, ?)
		ON CONFLICT (hmac) DO UPDATE SET `+column+` = excluded.`+column+`
		WHERE pid_blocks.belongs_to = excluded.belongs_to AND pid_blocks.`+column+` IS NULL`, e.hmac, owner, id)
	if err != nil {
		return false, fmt.Errorf("note the PID block: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// aadhaarHMAC names a resident in the books.
func (b *Books) aadhaarHMAC(a secret.Aadhaar) []byte { return b.mac("aadhaar", []byte(a.Reveal())) }

// keyCheck tells the records' key from others.
func (b *Books) keyCheck() []byte { return b.mac("key check", nil) }

// mac is HMAC-SHA-256 under the records' key; use separates its purposes.
func (b *Books) mac(use string, value []byte) []byte {
	m := hmac.New(sha256.New, b.records.Reveal())
	m.Write([]byte(use + "\n"))
	m.Write(value)
	return m.Sum(nil)
}
