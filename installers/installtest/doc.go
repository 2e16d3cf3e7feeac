// Package installtest makes what is handed out, twice and in a higher version,
// and installs it where it is meant to live: Debian's packages in a Debian of
// their own, where systemd runs them, the setup under Wine, where the service then
// updates itself from a real central. It holds files,
// owners, rights, signatures, sums and lists of contents against the names in
// package installers, and a queue with open operations against every way by which
// an installation can change or end.
//
// It needs root (Debian's folder, its systemd) and Debian's tools, which `make
// test-installers` installs where it may; what is missing fails with a sentence.
// GALLA_WITHOUT_WINE=1 leaves Windows out, and GALLA_WITHOUT_SYSTEMD=1 the booting
// of the units where no systemd can be; both say so. GALLA_DIST names a folder
// of an earlier run, kept with GALLA_KEEP_DIST, whose artefacts are taken in place
// of new ones.
package installtest
