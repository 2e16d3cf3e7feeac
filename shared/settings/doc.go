// Package settings reads a program's settings from its one file, beside its
// flags and its environment, and tells where each setting in force comes from.
//
// The file is TOML without tables. Its names are those of the program's flags
// that have an environment variable, or a tag 'setting' that names the variable
// which takes their place. A flag wins over the environment, the environment
// over the file, the file over the default. Secrets have no place in the file:
// it is there to be read, copied and compared.
//
// It promises to refuse what could be misunderstood, with the file and the line:
// a name that the program does not know, a value that can't be one, a table, a
// secret; and, where the system has owners and modes, a file that somebody else
// could have written. An error never holds a value of a secret's.
//
// Data enters as a file that a flag of type Path names, through kong's
// resolvers; it leaves as the flags' values, and as the text of Effective, which
// is such a file itself.
package settings
