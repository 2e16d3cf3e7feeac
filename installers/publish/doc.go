// Package publish makes and changes the TUF repository of releases: a folder that
// is copied to the central, which serves it without knowing any key.
//
// It promises that nothing is published below the threshold of its role, that what
// is published verifies as a counter will verify it, and that a folder which is
// served at the same moment is good at every moment: files are written whole,
// under names that were never used before, and the timestamp, which points to
// them, last. A change that fails leaves what was published before.
//
// Private keys lie in folders of their own, one file each with mode 0600, those of
// people sealed by a passphrase; those of root belong on sticks in different drawers,
// and are needed for Init and Rotate alone. Who must sign a change need not meet: it
// goes from hand to hand as a Draft, which nobody can alter and keep its signatures,
// and is published by the machine that has the keys of snapshot and timestamp.
// Programs and drafts enter as files, the rest as arguments.
//
//	<n>.root.json       every root that there was: counters follow them one by one
//	<n>.targets.json    the releases, with their facts
//	<n>.snapshot.json   which targets.json is the one in force
//	timestamp.json      which snapshot is; it ends within days (Refresh)
//	targets/<sha256>.<name>
package publish
