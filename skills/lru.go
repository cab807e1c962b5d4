package skills

// lruSize is how many finished prompts are kept.
const lruSize = 8

// lru keeps the last few indexes by what they were made of. Callers hold the library's lock.
type lru struct{ items []rendered }

type rendered struct {
	key   string
	index Index
}

func (c *lru) get(key string) (Index, bool) {
	for i, it := range c.items {
		if it.key == key {
			copy(c.items[1:i+1], c.items[:i])
			c.items[0] = it
			return it.index, true
		}
	}
	return Index{}, false
}

func (c *lru) put(key string, x Index) {
	if len(c.items) < lruSize {
		c.items = append(c.items, rendered{})
	}
	copy(c.items[1:], c.items)
	c.items[0] = rendered{key, x}
}
