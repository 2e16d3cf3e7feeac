// Package escpos writes ESC/POS, the command language of receipt printers, and reads their
// status.
//
// A Document collects commands and returns them as bytes; it does not talk to a printer.
// No text can command a printer: control characters become spaces, and what the code page
// lacks becomes '?'. Printable says beforehand whether a text can be printed as
// characters; otherwise it is printed as a Bitmap. The rupee sign is printed as Rs., since
// code pages lack it. A raster is split to fit small printers' buffers. A byte that is not
// a status byte by its fixed bits is an error, so that noise on the line is not read as
// 'ready'.
//
// Text and bitmaps enter, Bytes leave; a printer's answers enter by Status.Read.
package escpos
