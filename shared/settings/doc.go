// Package settings reads a program's settings from its file, its flags and its
// environment, and reports where each value comes from.
//
// The file is TOML without tables. Its names are those of the program's flags that have
// an environment variable, or a tag 'setting' that names the variable to use instead. A
// flag wins over the environment, the environment over the file, the file over the
// default. Secrets are not allowed in the file, so that it can be read, copied and
// compared.
//
// It promises to refuse, with the file and the line, a name that the program does not
// have, an invalid value, a table, a secret, and, on systems with owners and modes, a
// file that somebody else could have written. An error never holds a secret's value.
//
// Data enters as a file that a flag of type Path names, through kong's resolvers. It
// leaves as the flags' values, and as the text of Effective, which is such a file.
package settings
