package insights

import (
	"encoding/json"
	"os"
	"time"

	"hermes/core/home"
)

// cacheVersion is the version of the cache file. A file of another version is made anew.
//
//	1  first version
//	2  pauses, sub-agents and forks are told apart
const cacheVersion = 2

// cache keeps the facts of sessions that did not change. It can be thrown away at any time.
type cache struct {
	Version  int               `json:"version"`
	Sessions map[string]cached `json:"sessions"`

	changed bool
}

type cached struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Zone     string    `json:"zone"` // hours are local
	Facts    Facts     `json:"facts"`
}

// loadCache reads path; whatever is wrong with it, an empty cache is as good.
func loadCache(path string) *cache {
	c := &cache{}
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, c) != nil || c.Version != cacheVersion || c.Sessions == nil {
		return &cache{Version: cacheVersion, Sessions: map[string]cached{}}
	}
	return c
}

// save writes what is new; keep holds the sessions that still exist.
func (c *cache) save(path string, keep map[string]bool) error {
	for id := range c.Sessions {
		if !keep[id] {
			delete(c.Sessions, id)
			c.changed = true
		}
	}
	if !c.changed || path == "" {
		return nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return home.WriteFile(path, raw, home.FileMode)
}
