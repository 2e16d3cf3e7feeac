#!/usr/bin/env bash
# need.sh NAME...: installs what tests and packers need and what this machine does not
# have. It names every package before it installs it: Debian's packages by apt-get, and
# axe-core by npm. Without root or sudo it says what to ask for, and the tests that need
# a missing program then fail with the same sentence. It starts no service.
#
#   build       Go and a C compiler (for SQLite); never installed, only looked for
#   postgres    PostgreSQL's server; GALLA_TEST_POSTGRES may name one instead
#   chromium    a browser; GALLA_WITHOUT_BROWSER=1 leaves it out
#   speech      espeak-ng, which says payments aloud at the counter; GALLA_WITHOUT_SPEECH=1 leaves it out
#   axe         axe-core, which checks pages for barriers; GALLA_WITHOUT_AXE=1 leaves it out
#   partner     newman, Redocly's linter and TypeScript, in the versions of deploy/tools/npm;
#               GALLA_WITHOUT_NEWMAN=1 leaves them out
#   languages   Node, PHP, a JDK, Python's cryptography, and what tests and packs their SDKs;
#               GALLA_WITHOUT_LANGUAGES=1 leaves them out
#   promtool    checks the alert rules; GALLA_WITHOUT_PROMTOOL=1 leaves it out
#   cluster     PostgreSQL, Patroni, etcd, HAProxy, buildah
#   packers     what packs and signs the installers
#   chroots     what installs them in tests; GALLA_WITHOUT_WINE=1 leaves Windows out
#
# need.sh --list NAME... prints the packages of these names and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

AXE=4.14.1
AXE_SUM=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

have() { PATH=$PATH:/usr/sbin command -v "$1" > /dev/null; }
file() { compgen -G "$1" > /dev/null; }
imports() { (cd / && "$1" -c "import $2") 2> /dev/null; } # here, the folder build would be imported
extension() { php -r "exit(extension_loaded('$1') ? 0 : 1);" 2> /dev/null; }
axe() { echo "$AXE_SUM  build/axe/axe.min.js" | sha256sum --check --status 2> /dev/null; }

list= want=
# unless CHECK PACKAGE...: the packages are needed if the check fails.
unless() {
	local check=$1
	shift
	if [ -n "$list" ] || ! eval "$check"; then want="$want $*"; fi
}

# without VARIABLE: the environment leaves this out.
without() { [ -z "$list" ] && [ -n "${!1:-}" ]; }

need() {
	case $1 in
	build)
		[ -z "$list" ] || return 0
		have "${GO:-go}" || { echo "Go is missing: install the version that go.mod names, from https://go.dev/dl/ (Debian's is too old)"; exit 1; }
		have "${CC:-gcc}" || { echo "A C compiler is missing, and SQLite needs one: apt-get install gcc libc6-dev"; exit 1; } ;;
	postgres) without GALLA_TEST_POSTGRES || unless "have initdb || file '/usr/lib/postgresql/*/bin/initdb'" postgresql ;;
	chromium) without GALLA_WITHOUT_BROWSER || unless "have chromium && have chromium-headless-shell" chromium chromium-headless-shell fonts-noto-core ;;
	speech) without GALLA_WITHOUT_SPEECH || unless "have espeak-ng" espeak-ng ;;
	axe) without GALLA_WITHOUT_AXE || unless "axe || have npm" npm ;;
	partner)
		! without GALLA_WITHOUT_NEWMAN || return 0
		unless "have node" nodejs
		unless "have npm" npm ;;
	languages)
		! without GALLA_WITHOUT_LANGUAGES || return 0
		unless "have node" nodejs
		unless "have php" php-cli
		unless "extension curl" php-curl
		unless "extension zip" php-zip
		unless "have composer" composer
		unless "imports python3 cryptography || imports /usr/bin/python3 cryptography" python3-cryptography
		unless "imports /usr/bin/python3 build,setuptools,wheel" python3-build python3-setuptools python3-wheel
		unless "imports /usr/bin/python3 pip" python3-pip
		unless "have mypy" mypy
		unless "have javac" openjdk-17-jdk-headless
		unless "file /usr/share/java/junit-platform-console.jar" junit5 ;;
	promtool) without GALLA_WITHOUT_PROMTOOL || unless "have promtool" prometheus ;;
	cluster)
		unless "have initdb || file '/usr/lib/postgresql/*/bin/initdb'" postgresql
		unless "have patroni && imports /usr/bin/python3 etcd,idna" patroni python3-etcd python3-idna
		unless "have etcd" etcd-server etcd-client
		unless "have haproxy" haproxy
		unless "have buildah" buildah crun ;;
	packers)
		unless "have git" git
		unless "have makensis" nsis
		unless "have osslsigncode" osslsigncode
		unless "have openssl" openssl ;;
	chroots)
		unless "have debootstrap" debootstrap
		unless "have rpm" rpm
		unless "have softhsm2-util && file '/usr/lib/*/engines-3/pkcs11.so'" softhsm2 libengine-pkcs11-openssl
		! without GALLA_WITHOUT_WINE || return 0
		unless "file /usr/lib/wine/wine64" wine64
		unless "have x86_64-w64-mingw32-gcc" gcc-mingw-w64-x86-64-win32 ;;
	*) echo "need.sh: $1 is not known" >&2; exit 2 ;;
	esac
}

install() {
	local as=no
	if have apt-get; then
		if [ "$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; fi
	fi
	if [ "$as" = no ]; then
		echo "missing, and this user can't install it: ask for 'apt-get install --no-install-recommends$want'"
		return
	fi
	echo "installing by apt-get:$want"
	{ $as apt-get update -qq && $as env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $want > /dev/null; } ||
		echo "could not be installed:$want; the tests that need it will say so"
}

fetch_axe() {
	if axe || without GALLA_WITHOUT_AXE; then return; fi
	have npm || { echo "axe-core can't be fetched without npm; GALLA_WITHOUT_AXE=1 leaves it out"; return; }
	echo "fetching axe-core $AXE by npm into build/axe"
	mkdir -p build/axe
	(cd build/axe && npm pack --silent "axe-core@$AXE" && tar -xzf "axe-core-$AXE.tgz" --strip-components=1 package/axe.min.js) > /dev/null 2>&1 || true
	axe || { rm -f build/axe/axe.min.js; echo "axe-core $AXE could not be fetched, or its checksum is wrong"; }
}

partner() { cmp -s deploy/tools/npm/package-lock.json build/npm/installed.json; }
fetch_partner() {
	if partner || without GALLA_WITHOUT_NEWMAN; then return; fi
	have npm || { echo "newman, Redocly and TypeScript can't be fetched without npm; GALLA_WITHOUT_NEWMAN=1 leaves them out"; return; }
	echo "fetching newman, Redocly and TypeScript by npm into build/npm"
	rm -rf build/npm
	mkdir -p build/npm
	cp deploy/tools/npm/package*.json build/npm/
	(cd build/npm && npm ci --silent --ignore-scripts --no-audit --no-fund) > /dev/null 2>&1 && cp build/npm/package-lock.json build/npm/installed.json
	partner || { rm -rf build/npm; echo "newman, Redocly and TypeScript could not be fetched"; }
}

if [ "${1:-}" = --list ]; then list=yes; shift; fi
for name in "$@"; do need "$name"; done
if [ -n "$list" ]; then echo $want; exit; fi
if [ -n "$want" ]; then install; fi
for name in "$@"; do
	case $name in
	axe) fetch_axe ;;
	partner) fetch_partner ;;
	packers) have git && have makensis && have osslsigncode && have openssl || { echo "the packers are missing, so nothing can be packed"; exit 1; } ;;
	esac
done
