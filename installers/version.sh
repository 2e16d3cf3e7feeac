#!/usr/bin/env bash
# Prints the version that a release made of this commit has: of the tag v1.2.3
# itself 1.2.3; five commits later 1.2.4-dev.5, which is above the one and below
# the next; without a tag 0.0.0-dev and the number of commits.
set -euo pipefail
cd "$(dirname "$0")/.."

# In a clone of another user git says nothing otherwise.
git() { command git -c safe.directory='*' "$@"; }

if described=$(git describe --tags --long --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null); then
	since=${described%-g*}
	tag=${since%-*}
	since=${since##*-}
	version=${tag#v}
	if [ "$since" = 0 ]; then
		echo "$version"
	elif [[ $version == *-* ]]; then
		echo "$version.$since"
	else
		echo "${version%.*}.$((${version##*.} + 1))-dev.$since"
	fi
elif commits=$(git rev-list --count HEAD 2>/dev/null); then
	echo "0.0.0-dev.$commits"
else
	echo "this is no clone of git, so its version is not known: say it, such as VERSION=1.2.3" >&2
	exit 1
fi
