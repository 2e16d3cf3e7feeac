// Package operator knows who may use the operators' console of the central:
// people with a role, a password and a second factor, their sessions, and the
// trail of what each of them did.
//
// # Promises
//
//   - A password is kept as argon2id only, the secret of the second factor (TOTP)
//     sealed under the central's master keys, a session's token and a set-up code
//     as hashes. A code of the second factor opens the console once.
//   - Whoever sets somebody up never learns the password: a set-up code opens one
//     page, once, within a day, on which the person chooses one and proves the
//     second factor.
//   - One admin alone makes no admin and resets nobody's access: a second one
//     approves it, or whoever has the machine. Until then nobody signs in by it.
//   - Two people are four eyes where neither descends from the other, nor both from
//     one admin alone: who added, reset and approved whom is kept with those before
//     them. What is done at the machine begins a descent anew.
//   - A session does privileged acts for five minutes after a code was typed for them,
//     one that was not used: the sign-in's is none.
//   - After five wrong tries for a name it is not looked at for a time that grows;
//     a try is counted before it is judged, on all nodes together, so that many at
//     one time are no more than one after the other. A name that nobody has
//     answers the same, and takes as long. Tries from a browser in which the person
//     signed in before are counted apart: strangers keep nobody out.
//   - A session ends after 15 minutes without a touch and 10 hours in all, and at
//     once when the person's role, password or second factor changes or the person
//     is put out. There is always an admin, once there was one.
//   - Each change of people, and each sign-in, also a refused one, is written into
//     the trail in the transaction that makes it. What other rooms change is in
//     the trail before it is done, and again with what came of it. The trail is
//     only ever added to: the database refuses everything else.
//
// # The way of the data
//
//	galla-central operator add ──► Desk.Add ──► Store (row, set-up hash, trail)
//	set-up page ──► Desk.Setup ──► Desk.Enrol ──► Store (hash, TOTP proven, session)
//	sign-in page ──► Desk.SignIn ──► Tries, argon2id, TOTP ──► Store (session, trail)
//	every page ──► Desk.Session ──► Store
//	Desk.Add, Reset, SetRole (admin) ──► waits ──► Desk.Approve ──► Store (descent, trail)
//	privileged form ──► Desk.StepUp ──► TOTP ──► Store (session proven, trail)
//	decision on a case ──► Desk.Apart ──► Store (descent)
//	every look and change of the console ──► Desk.Note, Desk.Do ──► trail
//
// # Roles
//
// A viewer looks; an operator acts on operations, cases, terminals and callbacks;
// an admin also on people, merchants, vendors, keys and slabs, and reads the
// trail. Each may what those before it may.
package operator
