package lessons

// For tests: what is compared, by itself.
var (
	Class   = class
	Gist    = gist
	Key     = key
	LimitOf = limitOf
	Probes  = probes[:]
)
