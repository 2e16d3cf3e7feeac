package edge

// Warning is what is wrong with the stored operations or their disk. Every page shows it
// until it is mended; package outcome says it in words.
type Warning struct {
	Kind  WarningKind
	Names []string // of what it is about: operations, days, or a file; nil: none
}

// WarningKind is what is wrong.
type WarningKind string

// What can be wrong with the stored operations.
const (
	WarningDiskFull       WarningKind = "disk-full"       // nothing new can be stored
	WarningSetAside       WarningKind = "set-aside"       // the file was damaged; its new path, and a new file was started
	WarningFileMissing    WarningKind = "file-missing"    // the file was missing or empty; its path, and a new file was started
	WarningLastChange     WarningKind = "last-change"     // the file was damaged; its last change may be missing
	WarningEntriesMissing WarningKind = "entries-missing" // operations are missing
	WarningUnreadable     WarningKind = "unreadable"      // operations can't be read
	WarningSomeUnreadable WarningKind = "some-unreadable" // the same, without their names
	WarningRequests       WarningKind = "requests"        // requests of operations can't be read
	WarningDays           WarningKind = "days"            // closings of days can't be read
	WarningLists          WarningKind = "lists"           // lists that are fetched again
	WarningLogFork        WarningKind = "log-fork"        // the central's log has another past than it had signed
)
