package staff

import (
	"context"
	"time"

	"galla/central"
)

// Realm is whose people a Service knows: the console's staff (the zero value), the people
// of all vendors (Portal), or those of one vendor (Service.Within). To a Service, people of
// another realm do not exist.
type Realm struct {
	portal bool
	vendor central.VendorID
}

// Portal is the realm of the people of all vendors, in which they sign in.
func Portal() Realm { return Realm{portal: true} }

// The roles of a vendor's people. Owner is what an admin is at the console, without a
// second person's approval: a vendor answers for its own people.
const (
	PortalMember = Operator // acts
	Owner        = Admin    // also manages the vendor's people
)

// Roles of a vendor's people, in words.
const (
	portalMemberName = "member"
	ownerName        = "owner"
)

// RoleName is the member's role, in a word.
func (p Member) RoleName() string {
	switch {
	case p.Vendor != "" && p.Role == Owner:
		return ownerName
	case p.Vendor != "":
		return portalMemberName
	}
	return string(p.Role)
}

// PortalRole reads a role of a vendor's people. ErrRole.
func PortalRole(word string) (Role, error) {
	switch word {
	case ownerName:
		return Owner, nil
	case portalMemberName:
		return PortalMember, nil
	}
	return "", ErrRole
}

// has tells whether a member is of the realm.
func (r Realm) has(m Member) bool {
	if !r.portal {
		return m.Vendor == ""
	}
	return m.Vendor != "" && (r.vendor == "" || m.Vendor == r.vendor)
}

// name is the realm's in rates and in the origins of the audit log.
func (r Realm) name() string {
	if r.portal {
		return "portal"
	}
	return "console"
}

// Roles lists the roles of the realm, the least first.
func (r Realm) Roles() []Role {
	if r.portal {
		return []Role{PortalMember, Owner}
	}
	return Roles()
}

// portalOrigin begins the origin of what people do on the portal's pages.
const portalOrigin = "portal, "

// PortalOrigin is the origin of a person on the portal's pages, by address.
func PortalOrigin(address string) string { return portalOrigin + address }

// realmStore is a Store that has the members of one realm only. AddMember records a member
// in it, which must be of one vendor or the console.
type realmStore struct {
	MemberStore
	SessionStore
	realm Realm
}

// within returns a store that has the members of a realm.
func (s Store) within(r Realm) Store {
	members, sessions := s.MemberStore, s.SessionStore
	if outer, ok := members.(realmStore); ok {
		members, sessions = outer.MemberStore, outer.SessionStore
	}
	inner := realmStore{members, sessions, r}
	s.MemberStore, s.SessionStore = inner, inner
	return s
}

// Within returns the service for the people of one vendor.
func (s *Service) Within(vendor central.VendorID) *Service {
	one := *s
	one.realm = Realm{portal: true, vendor: vendor}
	one.store = s.store.within(one.realm)
	return &one
}

// Realm is whose people the service knows.
func (s *Service) Realm() Realm { return s.realm }

// AddMember implements MemberStore.
func (s realmStore) AddMember(ctx context.Context, r Account, e AuditEntry) error {
	if s.realm.portal {
		r.Vendor = s.realm.vendor
	}
	if !s.realm.has(r.Member) {
		return central.ErrNotFound
	}
	return s.MemberStore.AddMember(ctx, r, e)
}

// MemberAccount implements MemberStore.
func (s realmStore) MemberAccount(ctx context.Context, login string) (Account, error) {
	r, err := s.MemberStore.MemberAccount(ctx, login)
	if err == nil && !s.realm.has(r.Member) {
		return Account{}, central.ErrNotFound
	}
	return r, err
}

// Members lists those of the realm.
func (s realmStore) Members(ctx context.Context, _ central.VendorID) ([]Member, error) {
	return s.MemberStore.Members(ctx, s.realm.vendor)
}

// MemberAncestry implements MemberStore.
func (s realmStore) MemberAncestry(ctx context.Context, login string) (Ancestry, error) {
	if _, err := s.MemberAccount(ctx, login); err != nil {
		return Ancestry{}, err
	}
	return s.MemberStore.MemberAncestry(ctx, login)
}

// SetMemberRole implements MemberStore.
func (s realmStore) SetMemberRole(ctx context.Context, login string, role Role, e AuditEntry) error {
	if _, err := s.MemberAccount(ctx, login); err != nil {
		return err
	}
	return s.MemberStore.SetMemberRole(ctx, login, role, e)
}

// StaffSession implements SessionStore: a session of another realm's member is none.
func (s realmStore) StaffSession(ctx context.Context, hash [32]byte, opened, seen time.Time) (Session, Member, error) {
	in, m, err := s.SessionStore.StaffSession(ctx, hash, opened, seen)
	if err == nil && !s.realm.has(m) {
		return Session{}, Member{}, central.ErrNotFound
	}
	return in, m, err
}
