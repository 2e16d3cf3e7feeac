#!/usr/bin/env bash
# Signs a program for Windows: sign.sh IN OUT, or sign.sh FILE, which is replaced.
#
#   SIGN_CERT    PEM file of the certificate, with its chain
#   SIGN_KEY     PEM file of its key, or the key's PKCS#11 URI
#   SIGN_PKCS11_MODULE   the token's library, where the key is in one
#   SIGN_PKCS11_CERT     PKCS#11 URI of the certificate, in place of SIGN_CERT
#   SIGN_PASS_FILE       file with the key's password or the token's PIN
#   SIGN_TIMESTAMP       address of a timestamp authority (RFC 3161); without it the
#                        signature has the moment SOURCE_DATE_EPOCH, and ends with
#                        the certificate
set -euo pipefail

in=$1
out=${2:-$1.signed}
signer=(-key "${SIGN_KEY:?the key that signs for Windows: a PEM file, or a PKCS#11 URI}")
if [ -n "${SIGN_PKCS11_MODULE:-}" ]; then signer+=(-pkcs11module "$SIGN_PKCS11_MODULE"); fi
if [ -n "${SIGN_PKCS11_CERT:-}" ]; then
	signer+=(-pkcs11cert "$SIGN_PKCS11_CERT")
else
	signer+=(-certs "${SIGN_CERT:?the certificate that signs for Windows: a PEM file}")
fi
if [ -n "${SIGN_PASS_FILE:-}" ]; then signer+=(-readpass "$SIGN_PASS_FILE"); fi
if [ -n "${SIGN_TIMESTAMP:-}" ]; then
	signer+=(-ts "$SIGN_TIMESTAMP")
else
	signer+=(-time "${SOURCE_DATE_EPOCH:?the moment of the signature, in seconds since 1970}")
fi

rm -f "$out"
if ! said=$(osslsigncode sign "${signer[@]}" -h sha256 -n "Galla counter" -in "$in" -out "$out" 2>&1); then
	printf '%s was not signed:\n%s\n' "$in" "$said" >&2
	exit 1
fi
if [ $# -lt 2 ]; then mv "$out" "$in"; fi
