// Command scan searches the released programs for weak code and for known
// vulnerabilities, offline. `make checks` runs it:
//
//	go run ./scan          scans, and fails for what is not in the files below
//	go run ./scan -renew   takes the newest vulnerabilities from the module proxy
//
// gosec reads every package of Galla that is in a released program; code that only
// tests use is left out. Each of its findings has to be mended, or to stand in
// gosec.txt with the reason why it is none, and govulncheck's in govulncheck.txt. A
// line that nothing is found for any more fails too.
//
// vulnerabilities.json is an extract of the Go vulnerability database (CC BY 4.0, the
// Go authors), which is itself the module golang.org/x/vulndb: what affects a module of
// go.mod, or Go, in the required version or a later one. A module that is new, or older
// than it was then, needs the extract anew. Go itself is judged in the version of go.mod's
// line toolchain, by which releases are built; dist.sh says where it runs an older one.
package main
