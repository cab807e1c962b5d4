// Package config owns config.yaml and .env of the home: it reads both into one typed value with
// defaults and edits them by splicing bytes at the value, so that comments, order, line ends, quotes,
// anchors and keys of other programs survive.
//
// It must not know who uses a setting, and it never reads a .env outside the home. Start with Load
// (load.go) for reading, keys.go for what exists, and Store (store.go) for editing.
package config
