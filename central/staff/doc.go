// Package staff manages who may use the central's console: accounts with a role, a
// password and a second factor, their sessions, and the audit log of what each person
// does.
//
// It promises:
//   - Passwords are stored as argon2id only, secrets of the second factor (TOTP) sealed
//     under the master keys, session tokens and set-up codes as hashes. Each TOTP code
//     is accepted once.
//   - Whoever adds a person never learns the password: a set-up code opens one page,
//     once, within a day, and the person chooses a password there.
//   - One admin alone makes no admin and resets nobody: a second, independent admin
//     approves (Independent), or somebody with access to the machine. Decisions on money
//     need two independent people as well.
//   - After five wrong attempts a login is refused for a growing time, on all nodes
//     together, whether anybody has it or not. Attempts from a browser that signed in
//     before are counted separately, so unknown callers lock nobody out.
//   - Sessions end after 15 idle minutes, after 10 hours, and when the account changes.
//   - Changes of accounts and sign-ins are in the audit log in the same transaction. Other
//     packages' changes are logged before and after (AuditLog.RunAudited). Nothing is
//     removed from the log.
package staff
