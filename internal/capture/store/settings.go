package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
)

// The variables that say how captures are kept.
const (
	StorageVariable  = "MCP_RESOURCE_STORAGE"
	RootVariable     = "MCP_RESOURCE_FILESYSTEM_ROOT"
	TTLVariable      = "MCP_RESOURCE_TTL"
	MaxSizeVariable  = "MCP_RESOURCE_MAX_SIZE"
	MaxItemsVariable = "MCP_RESOURCE_MAX_ITEMS"
	CleanupVariable  = "MCP_RESOURCE_CLEANUP_INTERVAL"
)

// Kinds of stores.
const (
	Memory = "memory"
	Files  = "files"
)

// DefaultFolder is where the captures of a project are, below the project.
const DefaultFolder = "captures"

// Settings say how captures are kept.
type Settings struct {
	Kind     string        // [Memory] or [Files]
	Folder   string        // of files, as the user names it
	ReadOnly bool          // files are only looked at: nothing is made, written or removed; a folder that is not there is [fs.ErrNotExist]
	TTL      time.Duration // of captures that say nothing else; 0: they never expire
	MaxBytes int64         // of the contents of all captures
	MaxItems int
	Cleanup  time.Duration // how often what is past is removed
}

// DefaultSettings returns what holds where nothing is set.
func DefaultSettings() Settings {
	return Settings{Kind: Memory, Folder: DefaultFolder, TTL: 24 * time.Hour, MaxBytes: 100 << 20, MaxItems: 1000, Cleanup: time.Minute}
}

const (
	maxTTL     = 100 * 365 * 24 * time.Hour
	maxBytes   = 1 << 42
	maxItems   = 10_000_000
	minCleanup = 10 * time.Millisecond
	maxCleanup = 24 * time.Hour
)

// FromEnvironment replaces in s what variables of the environment set. Everything wrong with them is
// in the error, a line each.
func (s Settings) FromEnvironment(getenv func(string) string) (Settings, error) {
	var wrong []error
	number := func(variable, unit string, least, most float64, set func(float64)) {
		text := strings.TrimSpace(getenv(variable))
		if text == "" {
			return
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || n < least || n > most {
			wrong = append(wrong, fmt.Errorf("%s is %q, must be a number of %s from %s to %s", variable, text, unit,
				strconv.FormatFloat(least, 'f', -1, 64), strconv.FormatFloat(most, 'f', -1, 64)))
			return
		}
		set(n)
	}
	if kind := strings.TrimSpace(getenv(StorageVariable)); kind != "" {
		var err error
		if s.Kind, err = ParseKind(kind); err != nil {
			wrong = append(wrong, fmt.Errorf("%s %w", StorageVariable, err))
		}
	}
	if folder := getenv(RootVariable); folder != "" {
		s.Folder = folder
	}
	number(TTLVariable, "seconds (0: captures never expire)", 0, maxTTL.Seconds(), func(n float64) { s.TTL = time.Duration(n * float64(time.Second)) })
	number(MaxSizeVariable, "MB", 0.001, maxBytes>>20, func(n float64) { s.MaxBytes = int64(n * (1 << 20)) })
	number(MaxItemsVariable, "captures", 1, maxItems, func(n float64) { s.MaxItems = int(n) })
	number(CleanupVariable, "milliseconds", float64(minCleanup/time.Millisecond), float64(maxCleanup/time.Millisecond), func(n float64) {
		s.Cleanup = time.Duration(n * float64(time.Millisecond))
	})
	return s, errors.Join(wrong...)
}

// ParseKind returns the kind of a store that a user names.
func ParseKind(name string) (string, error) {
	switch strings.ToLower(name) {
	case Memory:
		return Memory, nil
	case Files, "filesystem":
		return Files, nil
	}
	return "", fmt.Errorf("is %q, must be %s or %s", name, Memory, Files)
}

// Open opens a store. What of the settings is zero is the default, but for the TTL, which Open does
// not look at.
func Open(ctx context.Context, settings Settings, logger *slog.Logger) (*Store, error) {
	d := DefaultSettings()
	if settings.Kind == "" {
		settings.Kind = d.Kind
	}
	if settings.Folder == "" {
		settings.Folder = d.Folder
	}
	if settings.MaxBytes == 0 {
		settings.MaxBytes = d.MaxBytes
	}
	if settings.MaxItems == 0 {
		settings.MaxItems = d.MaxItems
	}
	if settings.Cleanup == 0 {
		settings.Cleanup = d.Cleanup
	}
	if settings.ReadOnly { // the bounds are those of whoever writes
		settings.MaxBytes, settings.MaxItems = maxBytes, maxItems
	}
	s := &Store{
		settings: settings, logger: logger, now: time.Now, wake: make(chan struct{}, 1),
		index: newIndex(), changes: make(map[string]Change), used: make(map[*Capture]time.Time), dropped: make(map[string]bool),
	}
	switch settings.Kind {
	case Memory:
		s.engine, s.scheme = newMemory(), "memory"
		return s, nil
	case Files:
		engine, err := openFiles(settings, logger)
		if err != nil {
			return nil, err
		}
		s.engine, s.scheme = engine, "capture"
		if err := s.rescan(ctx); err != nil {
			engine.Close()
			return nil, fmt.Errorf("the folder of captures cannot be read: %w", err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("the storage of captures is %q, must be %s or %s", settings.Kind, Memory, Files)
}

// Settings returns how the captures are kept.
func (s *Store) Settings() Settings { return s.settings }
