// Package update is the section of the counter's pages that shows the program's
// version and newer releases. It reads update.Status and changes nothing.
package update
