#!/usr/bin/env bash
# Makes what is handed out, in dist/: deb and rpm of the central and of the
# counter, the counter's setup for Windows and its bare programs (for updates), the
# publishers' galla-release, a list of what is inside of each program (SBOM,
# CycloneDX), where all of it comes from (provenance, SLSA) and SHA-256 sums.
# Called by `make dist`.
#
#   VERSION    such as 1.2.3; by default what version.sh says
#   OUT        the folder, below the repository or absolute; what is in it goes
#   SETUP_COMPRESSOR   of the setup for Windows: lzma, or for tests the quick zlib
#   BUILDER    whose machine this is, a URI, for the provenance
#   AFRESH     1, for tests: SQLite and all of galla-release are compiled, and nothing of
#              them comes out of Go's cache, which does not know in which folder it was filled
#   SIGN_…     who signs for Windows, see windows/sign.sh; by default a certificate
#              that nobody trusts, made once and kept in build/signing
#
# Two runs on one commit give the same bytes, with the same signer: the moment in
# the packages and signatures is the commit's (SOURCE_DATE_EPOCH). An RSA key signs
# the same twice; a timestamp authority, or an ECDSA key, does not.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

VERSION=${VERSION:-$(installers/version.sh)}
OUT=${OUT:-dist}
if ! [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]]; then
	echo "VERSION=$VERSION: three numbers such as 1.2.3, and -rc.1 after them where it is none yet" >&2
	exit 1
fi
for tool in makensis osslsigncode openssl; do
	command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install nsis osslsigncode openssl" >&2; exit 1; }
done
if [ ! -e installers/trust/root.json ]; then
	echo "there is no installers/trust/root.json: counters of this build take no releases by themselves (installers/trust/README.md)" >&2
fi
built=$(go env GOVERSION) wanted=$(awk '$1 == "toolchain" {print $2}' go.mod)
if [ "$(printf '%s\n' "$built" "$wanted" | sort -V | head -n 1)" != "$wanted" ]; then
	echo "this is $built, and releases are built by $wanted (go.mod), which mends what is known of it: for tests only" >&2
fi
ARCH=amd64
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' log -1 --format=%ct)}
export VERSION ARCH SOURCE_DATE_EPOCH
ROOT=$PWD

rm -rf "$OUT"
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
work=$(mktemp -d)
packing=
trap '[ -z "$packing" ] || kill "$packing" 2>/dev/null || true; rm -rf "$work"' EXIT

# Makes the counter's setup for Windows: the program is signed, then packed; so is
# the uninstaller; and the setup. Windows' own editor wants its ends of lines.
windows() {
	if [ -z "${SIGN_CERT:-}${SIGN_PKCS11_CERT:-}" ]; then
		echo "signing for Windows with a certificate that nobody trusts: for tests only (installers/windows/sign.sh)" >&2
		SIGN_CERT=$ROOT/build/signing/test.crt SIGN_KEY=$ROOT/build/signing/test.key
		if [ ! -e "$SIGN_CERT" ]; then
			mkdir -p "$ROOT/build/signing"
			openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj "/CN=Galla test" \
				-addext keyUsage=digitalSignature -addext extendedKeyUsage=codeSigning -keyout "$SIGN_KEY" -out "$SIGN_CERT" 2>/dev/null
			chmod 0600 "$SIGN_KEY"
		fi
		export SIGN_CERT SIGN_KEY
	fi
	installers/windows/sign.sh "$work/galla-edge.unsigned.exe" "$work/galla-edge.exe"
	sed 's/$/\r/' installers/windows/edge.toml >"$work/edge.windows.toml"
	cp installers/windows/galla.ico installers/windows/side.bmp "$work"
	touch -d "@$SOURCE_DATE_EPOCH" "$work/galla-edge.exe" "$work/edge.windows.toml" "$work/galla.ico" "$work/side.bmp"
	makensis -V2 -DVERSION="$VERSION" -DNUMERIC="${VERSION%%-*}" -DPROGRAM="$work/galla-edge.exe" -DSETTINGS="$work/edge.windows.toml" -DART="$work" -DCOMPRESSOR="${SETUP_COMPRESSOR:-lzma}" \
		-DSIGN="$ROOT/installers/windows/sign.sh" -DOUT="$work/setup.unsigned.exe" installers/windows/setup.nsi
	installers/windows/sign.sh "$work/setup.unsigned.exe" "$OUT/galla-edge-$VERSION-setup.exe"
	cp "$work/galla-edge.exe" "$OUT/galla-edge-$VERSION.exe"
}
flags=(-trimpath -buildvcs=false)
ld="-s -w -buildid= -X galla/installers.release=$VERSION"
CGO_ENABLED=0 GOOS=windows GOARCH=$ARCH go build "${flags[@]}" -ldflags "$ld" -o "$work/galla-edge.unsigned.exe" ./edge/cmd/galla-edge
# It packs for as long as all the rest takes, on one processor.
windows &
packing=$!
anew=() salt=
if [ -n "${AFRESH:-}" ]; then
	anew=(env "GOCACHE=$work/cache")
	salt=" -DGALLA_AFRESH=$$" # nothing reads it; what is cached was compiled without
fi
# SQLite is compiled in; static, so that one program serves every distribution.
CGO_CFLAGS=$(cat central/store/sqlite/cflags)$salt CGO_ENABLED=1 GOOS=linux GOARCH=$ARCH go build "${flags[@]}" -tags netgo,osusergo,sqlite_omit_load_extension \
	-ldflags "$ld -linkmode external -extldflags -static" -o "$work/galla-central" ./central/cmd/galla-central
CGO_ENABLED=0 GOOS=linux GOARCH=$ARCH go build "${flags[@]}" -ldflags "$ld" -o "$work/galla-edge" ./edge/cmd/galla-edge
CGO_ENABLED=0 GOOS=linux GOARCH=$ARCH "${anew[@]}" go build "${flags[@]}" -ldflags "$ld" -o "$work/galla-release" ./installers/cmd/galla-release

# The tools' versions and sums stand in installers/tools.
(cd installers/tools && CGO_ENABLED=0 go build "${flags[@]}" -ldflags "-s -w -buildid=" -o "$work/" github.com/goreleaser/nfpm/v2/cmd/nfpm github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod)

# nfpm reads its files beside its configuration.
cp installers/linux/* "$work/"
hint() {
	case $1 in
	central) echo 'galla-central: name the bank network in /etc/galla/central.toml, see what galla-central check says, then: systemctl enable --now galla-central' ;;
	edge) echo 'galla-edge: enrol it as its user (runuser -u galla-edge -- galla-edge --data /var/lib/galla/edge enrol --help), then: systemctl enable --now galla-edge' ;;
	esac
}
for part in central edge; do
	for script in postinst preinst; do
		sed -e "s|@HINT@|$(hint $part)|; s|@NAME@|galla-$part|g; s|@PART@|$part|g; s|@VERSION@|${VERSION/-/\~}|g" "$work/$script.in" >"$work/$part.$script"
	done
	for kind in deb rpm; do
		(cd "$work" && ./nfpm package --config "nfpm-$part.yaml" --packager "$kind" --target "$OUT/" >nfpm.log 2>&1) || { cat "$work/nfpm.log" >&2; exit 1; }
	done
done

# What is inside is read from the programs themselves. The tool writes down when it
# ran, which says nothing of the program: the commit's moment stands there instead.
moment=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
contents() {
	"$work/cyclonedx-gomod" bin -json -noserial -std -version "v$VERSION" -output "$work/contents.json" "$1" 2>"$work/contents.log" || { cat "$work/contents.log" >&2; exit 1; }
	sed -E '0,/"timestamp": "[^"]*"/s//"timestamp": "'"$moment"'"/' "$work/contents.json" >"$OUT/$2.cdx.json"
}
contents "$work/galla-central" galla-central
contents "$work/galla-edge" galla-edge
contents "$work/galla-edge.unsigned.exe" galla-edge-windows
contents "$work/galla-release" galla-release

cp "$work/galla-edge" "$OUT/galla-edge-$VERSION-linux-$ARCH"
cp "$work/galla-release" "$OUT/galla-release-$VERSION-linux-$ARCH"
wait "$packing"

# Where all of it comes from; the publishers sign that (galla-release attest).
git() { command git -c safe.directory='*' "$@"; }
modified=
[ -z "$(git status --porcelain 2>/dev/null || echo none)" ] || modified=--modified
compiler=$(cc --version)
"$work/galla-release" provenance "$OUT" --version "$VERSION" --revision "$(git rev-parse HEAD)" $modified --builder "${BUILDER:-urn:galla:publisher}" \
	--tool "go=$built" --tool "cc=${compiler%%$'\n'*}" --tool "makensis=$(makensis -VERSION)" \
	--program "$work/galla-central" --program "$work/galla-edge" --program "$work/galla-edge.unsigned.exe" --program "$work/galla-release" \
	--program "$work/nfpm" --program "$work/cyclonedx-gomod"

(cd "$OUT" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
ls -l "$OUT"
