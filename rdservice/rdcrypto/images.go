package rdcrypto

import "encoding/binary"

// The positions of an iris and of a face, by the names of the specification's
// posh attribute.
const (
	LeftIris     = "LEFT_IRIS"
	RightIris    = "RIGHT_IRIS"
	FacePosition = "FACE"
)

// Irises lists the two iris names, left first.
func Irises() []string { return []string{LeftIris, RightIris} }

// Lengths of the synthetic image records, in bytes: an iris comes to a reply of
// some 6 KB, a face to one of about 180 KB, as real ones do (rdservice.md).
const (
	irisLen = 2 << 10
	faceLen = 100 << 10
)

// IrisImage is the synthetic biometric of one iris of one sandbox resident: a
// record with the format mark and the length of ISO/IEC 19794-6:2011, whose
// image follows from the Aadhaar number and the iris's name alone and shows
// nothing. The same arguments give the same bytes on every machine; a name that
// is not in Irises gives nil.
func IrisImage(aadhaar, iris string) []byte {
	if iris != LeftIris && iris != RightIris {
		return nil
	}
	return image("IIR\x00020\x00", aadhaar, iris, irisLen)
}

// FaceImage is the synthetic face of one sandbox resident, as IrisImage is an
// iris: marked as ISO/IEC 19794-5:2011 marks its records.
func FaceImage(aadhaar string) []byte {
	return image("FAC\x00030\x00", aadhaar, FacePosition, faceLen)
}

// image is a record of n bytes: its mark, its length, and noise that follows
// from the two names.
func image(mark, aadhaar, position string, n int) []byte {
	b := binary.BigEndian.AppendUint32([]byte(mark), uint32(n))
	return append(b, expand(aadhaar, position, n-len(b))...)
}
