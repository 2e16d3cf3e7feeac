package installers

import "runtime/debug"

// unreleased is what a program is that dist.sh did not pack.
const unreleased = "unreleased"

// release is written into the programs by dist.sh (go build -ldflags -X).
var release = "unreleased"

// Release is the program's version, such as 1.4.0, for people, metrics and
// updates. Of a program that was not packed it is what its build recorded.
func Release() string {
	if release != unreleased {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
