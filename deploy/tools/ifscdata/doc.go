// Command ifscdata makes edge/ifsc/ifsc.gz, the IFSC codes that the counter knows, from the
// npm package ifsc of Razorpay (MIT licence):
//
//	npm pack ifsc@2.0.50 && tar xzf ifsc-2.0.50.tgz
//	go run ./ifscdata -package package -date 2026-08-24 -out ../../edge/ifsc/ifsc.gz
//
// The date is that of the package's publication: `npm view ifsc time`. The package has the
// codes of all branches and the names of banks. It has no names of branches.
//
// The file is gzip of lines with tabs: a head, then B for a bank with codes of its own (its
// four letters, name, branch codes), S for one code of a bank that uses another's (code,
// name), and P for the same with the first letters of its codes. Branch codes are sorted;
// each is a letter for how many characters it shares with the one before (a: none), and
// the rest.
package main
