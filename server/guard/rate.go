package guard

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// burst is how many seconds' worth of requests may come at once: a client
	// that starts asks for several things together.
	burst = 4
	// maxClients is how many clients are counted before those who have been
	// quiet are forgotten.
	maxClients = 10_000
)

// rates counts the requests of each client. It is safe for concurrent use.
type rates struct {
	limit rate.Limit
	burst int
	now   func() time.Time

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

func newRates(perSecond float64, now func() time.Time) *rates {
	return &rates{
		limit: rate.Limit(perSecond), burst: max(1, int(math.Ceil(burst*perSecond))), now: now,
		clients: map[string]*rate.Limiter{},
	}
}

// allow counts a request and says whether it may come now.
func (r *rates) allow(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	one := r.clients[client]
	if one == nil {
		if len(r.clients) >= maxClients {
			r.forget(now)
		}
		one = rate.NewLimiter(r.limit, r.burst)
		r.clients[client] = one
	}
	return one.AllowN(now, 1)
}

// forget drops the clients who have everything left: to count them again from
// the beginning changes nothing. When that is not enough, all are dropped.
func (r *rates) forget(now time.Time) {
	for client, one := range r.clients {
		if one.TokensAt(now) >= float64(r.burst) {
			delete(r.clients, client)
		}
	}
	if len(r.clients) >= maxClients {
		clear(r.clients)
	}
}
