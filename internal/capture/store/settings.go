package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
)

// Environment variables of the store.
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
	Memory   = "memory"
	Files    = "files"
	Postgres = "postgres"
)

// DefaultFolder is the folder of the captures in a project.
const DefaultFolder = "captures"

// Settings say how captures are kept.
type Settings struct {
	Kind     string
	Folder   string
	TTL      time.Duration // default of captures; 0: they never expire
	MaxBytes int64
	MaxItems int
	Cleanup  time.Duration // interval of removing expired captures

	// Of Postgres.
	DB      *database.DB
	Project string
}

// DefaultSettings returns the settings of a store for which nothing is configured.
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

// Unbounded returns s for a process that only reads: the processes that write enforce their bounds.
func (s Settings) Unbounded() Settings {
	s.MaxBytes, s.MaxItems = maxBytes, maxItems
	return s
}

// FromEnvironment returns s with the values that environment variables set. The error has a line for
// each mistake.
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

// ParseKind returns the kind of store for a name in a configuration.
func ParseKind(name string) (string, error) {
	switch strings.ToLower(name) {
	case Memory:
		return Memory, nil
	case Files, "filesystem":
		return Files, nil
	}
	return "", fmt.Errorf("is %q, must be %s or %s", name, Memory, Files)
}

// Open opens a store. Settings that are zero have their defaults, except TTL.
func Open(ctx context.Context, settings Settings, logger *slog.Logger) (*Store, error) {
	d := DefaultSettings()
	settings.Kind = cmp.Or(settings.Kind, d.Kind)
	settings.Folder = cmp.Or(settings.Folder, d.Folder)
	settings.MaxBytes = cmp.Or(settings.MaxBytes, d.MaxBytes)
	settings.MaxItems = cmp.Or(settings.MaxItems, d.MaxItems)
	settings.Cleanup = cmp.Or(settings.Cleanup, d.Cleanup)
	s := &Store{
		settings: settings, logger: logger, now: time.Now, wake: make(chan struct{}, 1), stale: make(chan struct{}, 1),
		index: newIndex(), readings: make(map[*reading]bool), changes: make(map[string]Change), used: make(map[*Capture]time.Time),
	}
	now := func() time.Time { return s.now() }
	read := "the folder of captures"
	switch settings.Kind {
	case Memory:
		s.engine, s.scheme = memory{}, "memory"
		return s, nil
	case Files:
		engine, err := openFiles(settings, logger, now)
		if err != nil {
			return nil, err
		}
		s.engine = engine
	case Postgres:
		s.now, read = settings.DB.Now, "captures"
		s.engine = openPostgres(settings, logger, now, func() { wakeUp(s.stale) })
	default:
		return nil, fmt.Errorf("the storage of captures is %q, must be %s or %s", settings.Kind, Memory, Files)
	}
	s.scheme, s.shared = "capture", true
	// While the database is unreachable, Run reads later.
	if err := s.look(ctx); err != nil && !errors.Is(err, database.ErrUnreachable) {
		s.engine.close()
		return nil, fmt.Errorf("%s cannot be read: %w", read, err)
	}
	return s, nil
}

// Settings returns the settings of the store.
func (s *Store) Settings() Settings { return s.settings }
