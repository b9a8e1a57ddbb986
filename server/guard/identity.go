package guard

import "context"

// Identity is whose request it is. The zero value is everybody, where there are
// no tokens.
type Identity struct {
	Name      string // of the token; "" = there are no tokens
	Namespace string // whose memory it is about; "" = the main one
	ReadOnly  bool   // may change nothing
}

type identityKey struct{}

func withIdentity(ctx context.Context, who Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, who)
}

// IdentityOf says whose request it is that a Guard has let in.
func IdentityOf(ctx context.Context) Identity {
	who, _ := ctx.Value(identityKey{}).(Identity)
	return who
}
