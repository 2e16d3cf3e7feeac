// Package ifsc knows the IFSC codes of India's bank branches and the names of their banks,
// without a connection.
//
// The codes are embedded (ifsc.gz), with their source and its date: the npm package ifsc of
// Razorpay under the MIT licence, which collects the lists of the Reserve Bank and NPCI.
// deploy/tools/ifscdata makes the file and describes its form. Branches open and close
// after the date, so an unknown code is a reason to look again, not to refuse.
//
// The data has no names of branches: of a branch it says the bank, the code and whether
// the code exists.
package ifsc
