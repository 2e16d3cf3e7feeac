// Package escpos writes ESC/POS, the command language of receipt printers, and
// reads their status.
//
// A Document gathers commands and gives them as bytes; it never meets a
// printer, and keeps none of a printer's state beyond the code page that the
// document itself has chosen.
//
// What it promises:
//
//   - No text commands a printer: control characters in a text become spaces,
//     and what a code page lacks becomes '?'. Printable tells beforehand
//     whether a text can be printed as characters; what can't is printed as a
//     Bitmap.
//   - The rupee's sign is written Rs., since no code page of these printers has
//     it.
//   - A raster is cut into bands that small printers' buffers hold.
//   - A byte that is no status byte by its fixed bits is an error, never a
//     guess: garbage on the line is not read as 'ready'.
//
// Data enters as text and bitmaps, and leaves as Bytes; a printer's answers
// enter by Status.Read.
package escpos
