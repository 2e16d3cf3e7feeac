// Package launcher starts the newest working release of the counter's program, and
// goes back to the previous one when a new one fails. The installed program is the
// launcher; the release that serves is its child.
//
// It promises:
//   - One release serves at a time. On Windows a child ends with its launcher, by a
//     job; elsewhere a leftover one is waited for, and killed if it does not end.
//   - A release is verified just before its start, from the root of trust;
//     otherwise the installed program is started.
//   - Each step is on disk before the next, so a killed launcher resumes.
//   - A release on trial that is not healthy in time is stopped, and the previous
//     one serves. If that one is healthy, the new one gets a strike, so a broken
//     disk or connection blocks no release; the third strike blocks it. Two attempts
//     are an hour apart. A proven release that keeps failing goes the same way; the
//     installed program is never blocked.
//
// The child has the launcher's arguments, GALLA_LAUNCHER=1, and two pipes: the end
// of its standard input stops it; on its standard output it writes 'galla-child/1
// healthy VERSION' and 'galla-child/1 switch VERSION'. Other lines are ignored. The
// child's log is the launcher's standard error.
package launcher
