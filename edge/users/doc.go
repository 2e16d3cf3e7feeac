// Package users manages the users of the counter: their PINs and roles.
//
// It promises:
//   - There is always an enabled owner: at first the agent who enrolled the
//     terminal. The last one can't be disabled or made an operator.
//   - A PIN is stored as argon2id only, in sealed storage. After five wrong PINs a
//     user's PIN is refused for a time that grows with each further one. The count
//     is on disk before the answer, so a restart gives no new attempts.
//   - Wrong PINs in one browser do not lock a user out elsewhere: they are counted
//     for each browser in which this user once entered the right PIN (WithBrowser),
//     and for all unknown browsers together.
//   - Only the user can act under the own PIN: a PIN set by an owner must be
//     changed first, and a change needs the old PIN.
//   - Every change is authorized here, by who makes it, and is on disk when its
//     call returns nil.
//
// The whole list is one value in Storage, so no change is half done. Disabled
// users stay in it, since records name them.
package users
