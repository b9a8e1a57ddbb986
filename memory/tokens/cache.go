package tokens

import "sync"

// cache remembers counts, at most max of them: when the young ones are half of
// that, they become the old ones, and the old ones go. What is asked for again is
// young again. It is safe for concurrent use.
type cache[K comparable] struct {
	max        int
	mu         sync.Mutex
	young, old map[K]int
}

func (c *cache[K]) get(key K) (n int, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, known = c.young[key]; known {
		return n, true
	}
	if n, known = c.old[key]; known {
		c.keep(key, n)
	}
	return n, known
}

func (c *cache[K]) put(key K, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, n)
}

func (c *cache[K]) keep(key K, n int) {
	if c.young == nil || len(c.young) >= c.max/2 {
		c.young, c.old = map[K]int{}, c.young
	}
	c.young[key] = n
}
