// Package rdcrypto is the cryptography of a registered-device capture, from
// both ends: what a device does before PidData leaves it (Block, Seal), and
// what the bank's network does when PidData arrives (Open).
//
// It serves the sandbox: the RD simulator seals, the sandbox bank opens. The
// daemon at the counter never decrypts and never imports this package.
//
//	device                                              bank
//	  raw biometric ─► Block ─► PID bytes ─► Seal ═► PidData ═► Open ─► Pid
//	  (Template)      signs bs              Data Hmac Skey    checks all, Match
//
// The construction is that of UIDAI's registered-device specification 2.0, as
// rdservice.md ('Cryptography') fixes it:
//
//   - session key: random AES-256, sealed with RSA-2048 PKCS#1 v1.5 under the
//     authority's certificate (Skey); ci is that certificate's notAfter,
//     YYYYMMDD, in GMT.
//   - AES-256-GCM, 128-bit tag, IV = last 12 bytes of ts, AAD = last 16 bytes
//     of ts. Data = ts ‖ ciphertext ‖ tag. Hmac = GCM of SHA-256(PID bytes).
//   - bs = RSA-SHA256 by the device key over SHA-256(raw) ‖ ts ‖ dc.
//
// The authority is a test authority: EnsureAuthority makes it at the first
// start of whichever program comes first. Everything secret that Open hands
// out, above all the raw biometric, stands in types that print as a mask.
//
// There is no package state.
package rdcrypto
