#!/usr/bin/env bash
# gotest.sh NAME PACKAGE... [-- FLAG...]: runs tests by gotestsum. It prints how long they
# took and which were slow. The results go to build/test/NAME.xml (JUnit).
#
#   RERUN=1   for tests that drive browsers or real processes: a test that fails runs once
#             more; if it then passes, it is printed at the end as FLAKY with its output,
#             and noted in build/flaky.log
#   ONCE=1    does nothing if NAME has passed on this very tree
#   FORMAT    of gotestsum; standard-verbose for tests that print figures
set -uo pipefail
cd "$(dirname "$0")/../.."
name=$1
shift
packages=
while [ $# -gt 0 ] && [ "$1" != -- ]; do packages="$packages $1"; shift; done
[ $# -eq 0 ] || shift
out=build/test
mkdir -p $out

tree=$({ git rev-parse HEAD && git diff HEAD && git ls-files -o --exclude-standard -z | xargs -0r sha1sum; } 2> /dev/null | sha1sum)
git rev-parse HEAD > /dev/null 2>&1 || tree=
if [ -n "${ONCE:-}" ] && [ -n "$tree" ] && [ "$(cat $out/$name.passed 2> /dev/null)" = "$tree" ]; then
	echo "$name: has passed on this tree"
	exit
fi
rm -f $out/$name.*
rerun=
[ -z "${RERUN:-}" ] || rerun="--rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-report=$out/$name.reruns"
begun=$SECONDS
go tool gotestsum --format "${FORMAT:-pkgname}" --format-hide-empty-pkg --hide-summary=skipped \
	--junitfile $out/$name.xml --jsonfile $out/$name.json $rerun --packages "${packages# }" -- "$@"
status=$?
echo "$name: $((SECONDS - begun)) s; the slowest tests:"
go tool gotestsum tool slowest --jsonfile $out/$name.json --num 5 | sed 's/^/  /'

# A test that failed and then passed: 'PACKAGE.TEST: 2 runs, 1 failures'.
while IFS= read -r line; do
	[[ $line =~ ^([^.]+)\.(.*):\ ([0-9]+)\ runs,\ ([0-9]+)\ failures$ ]] && [ "${BASH_REMATCH[3]}" -gt "${BASH_REMATCH[4]}" ] || continue
	package=${BASH_REMATCH[1]} test=${BASH_REMATCH[2]}
	echo "FLAKY $package $test; its output:"
	grep -F "\"Package\":\"$package\",\"Test\":\"$test\",\"Output\"" $out/$name.json | sed 's/.*"Output":"\(.*\)"}$/\1/; s/\\"/"/g' | while IFS= read -r text; do printf '  %b' "$text"; done
	mkdir -p build
	echo "$(date -u +%F) $package $test" >> build/flaky.log
	[ "$(cut -d' ' -f2- build/flaky.log | grep -cFx "$package $test")" -lt 2 ] || echo "FLAKY TWICE (build/flaky.log): $package $test has to be mended"
done < <(cat $out/$name.reruns 2> /dev/null)
[ $status != 0 ] || [ -z "$tree" ] || echo "$tree" > $out/$name.passed
exit $status
