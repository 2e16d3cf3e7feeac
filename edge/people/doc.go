// Package people knows who stands at the counter: its operators, their PINs, and
// what each of them may do.
//
// # Promises
//
//   - There is always a working owner: at first start the agent who enrolled
//     the counter, later whoever an owner made one. The last one can't be put
//     out or made an operator.
//   - A PIN is kept as argon2id only, in sealed storage. After five wrong ones
//     an operator's PIN is not looked at for a time that grows with every
//     further one; the count is on disk before the answer is given, so a
//     restart gives no new tries. One operator's wrong PINs keep nobody else out.
//   - Nor do a stranger's keep the operator out: they are counted for each browser
//     in which this operator typed the own right PIN once (InBrowser; a random mark,
//     of which the hash is kept), and for all others together. What an operator
//     types opens no count for another's PIN, and forgets no browser of another's;
//     a new PIN is known in the one browser in which it was chosen.
//   - Whatever is done under an operator's PIN, nobody else could have done: a PIN
//     that an owner set opens nothing until its operator chose an own one, and
//     the own one is changed with the old one only.
//   - Every step of managing is judged here, by who takes it: an owner who was
//     put out a moment ago can do nothing more from a page that is still open.
//   - A step is on disk when its call returns nil, and has not happened otherwise.
//
// # The way of the data
//
//	Store (sealed, fsynced) ──► New ──► the list in memory ──► Working, All, CheckPIN
//	Add, Rename, SetPIN, …  ──► a changed copy ──► Store ──► the list in memory
//
// The whole list is one value of some kilobytes, so that no step can be half
// done. An operator who left stays in the list, without a PIN that opens
// anything: records of the past name people who were here.
package people
