// Package installers has the names and paths under which Galla is installed.
//
// The packages of linux/ and the setup of windows/ spell them out, since their
// tools read files of their own; this package's tests hold those files against
// the names here, and the programs use these. It promises nothing else, and no
// data passes through it.
package installers

// The programs, and the accounts and units of Linux, which have the same names.
const (
	Edge    = "galla-edge"
	Central = "galla-central"
)

// EdgeService is the counter's name in the list of Windows' services.
const EdgeService = "galla-edge"

// The account that Windows makes for the counter's service alone, by name and by
// number: the number is made of the service's name, and Windows knows it before
// the service is there.
const (
	EdgeServiceAccount = `NT SERVICE\` + EdgeService
	EdgeServiceSID     = "S-1-5-80-900005424-3210946158-4065369135-2774666010-3383579354"
)

// Folders of Linux.
const (
	LinuxConfig      = "/etc/galla"
	LinuxData        = "/var/lib/galla"
	LinuxEdgeData    = LinuxData + "/edge"
	LinuxCentralData = LinuxData + "/central"
)

// Folders of Windows, below %ProgramFiles% and %ProgramData%.
const (
	WindowsPrograms = "Galla"
	WindowsData     = "Galla"
)
