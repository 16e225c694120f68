package streamable

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/files/rootfs"
)

// DefaultLifetime is the maximum lifetime of a session with a sealed id.
const DefaultLifetime = 7 * 24 * time.Hour

// minKey is the number of characters that a key needs at least.
const minKey = 32

// Keys seal the ids of sessions for the replicas of a server: a sealed id contains everything that a replica must know about
// a session, so every replica with the same keys answers for it. An id is a random nonce and the sealed expiry and protocol version
// (AES-256-GCM, NIST SP 800-38D), in base64url, 62 characters. The project and the caller are authenticated with it, so an
// id is worth nothing to others.
type Keys struct {
	// Local says that the keys were made for this computer or process: no other process answers for the same sessions at the same time.
	Local    bool
	lifetime time.Duration
	ended    endings

	mu    sync.Mutex
	aeads []cipher.AEAD // the first one seals, all open; guarded by mu
	// the key if it was made for this process, until the store has one; guarded by mu
	made string
}

// NewKeys returns keys with one that was made for this process.
func NewKeys(lifetime time.Duration) *Keys {
	text := rand.Text() + rand.Text()
	k, err := ParseKeys(text, lifetime)
	if err != nil {
		panic(err) // the text is long enough
	}
	k.made = text
	return k
}

// ParseKeys returns the keys in a text: one, or two while a key is replaced. They are separated by spaces, line ends or
// commas, and have at least 32 characters each. New sessions are sealed with the first one. The error never contains a key.
func ParseKeys(text string, lifetime time.Duration) (*Keys, error) {
	k := &Keys{lifetime: lifetime}
	for i, secret := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r <= ' ' }) {
		switch {
		case i == 2:
			return nil, errors.New("has more than two keys; the first one seals new sessions, and the second one may be the key before it")
		case len(secret) < minKey:
			return nil, fmt.Errorf(`key %d has %d characters, must have at least %d; "openssl rand -hex 32" prints one`, i+1, len(secret), minKey)
		}
		key, err := hkdf.Key(sha256.New, []byte(secret), nil, "mcp-docs-server session", 32)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		k.aeads = append(k.aeads, aead)
	}
	if len(k.aeads) == 0 {
		return nil, errors.New(`has no key; "openssl rand -hex 32" prints one`)
	}
	return k, nil
}

// share replaces a key that was made for this process by the one in the store, which the first replica makes. Ids that this
// process sealed stay valid here.
func (k *Keys) share(ctx context.Context, db *database.DB) error {
	k.mu.Lock()
	made := k.made
	k.mu.Unlock()
	if made == "" {
		return nil
	}
	text := ""
	err := db.Tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO mcp_docs.session_key (key) VALUES ($1) ON CONFLICT DO NOTHING", made); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT key FROM mcp_docs.session_key").Scan(&text)
	})
	if err != nil {
		return err
	}
	shared, err := ParseKeys(text, k.lifetime)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.aeads, k.made = append(shared.aeads, k.aeads...), ""
	return nil
}

// seal returns a new id.
func (k *Keys) seal(project, caller, version string, now time.Time) (id string, expires time.Time) {
	expires = now.Add(k.lifetime)
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(expires.Unix())), version...)
	k.mu.Lock()
	defer k.mu.Unlock()
	return base64.RawURLEncoding.EncodeToString(k.aeads[0].Seal(nil, nil, plain, owner(project, caller))), expires
}

// open returns the protocol version and the expiry in an id. ok is false if the id was not sealed for this project and
// caller with one of the keys, or has expired.
func (k *Keys) open(id, project, caller string, now time.Time) (version string, expires time.Time, ok bool) {
	if len(id) > 512 {
		return "", time.Time{}, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil {
		return "", time.Time{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, aead := range k.aeads {
		plain, err := aead.Open(nil, nil, sealed, owner(project, caller))
		if err != nil || len(plain) < 8 {
			continue
		}
		expires = time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)
		return string(plain[8:]), expires, now.Before(expires)
	}
	return "", time.Time{}, false
}

// owner returns the data that is authenticated with an id. Names of projects contain no NUL. caller is [auth.Caller.SessionKey].
func owner(project, caller string) []byte { return []byte(project + "\x00" + caller) }

const (
	// endedFile begins the name of a file with sessions that their clients ended. The number of the week in which their ids expire
	// follows, so that no file is written again.
	endedFile = "ended-sessions-"
	// maxEnded is how many sessions are remembered that their clients ended.
	maxEnded = 100_000
)

// endings are the sessions that their clients ended: their ids stay valid until they expire.
type endings struct {
	folder *rootfs.FS // nil: they are remembered by this process only

	mu    sync.Mutex       // guards all fields below
	weeks map[string]int64 // by digest of the id: the week in which it expires
}

func weekOf(t time.Time) int64 { return t.Unix() / (7 * 24 * 60 * 60) }

// KeepEnded keeps the sessions that their clients end in a folder, so that they stay ended after a restart. Call it before the
// keys are used.
func (k *Keys) KeepEnded(folder *rootfs.FS) error {
	names, err := folder.Names(".")
	if err != nil {
		return err
	}
	k.ended.folder = folder
	for _, name := range names {
		number, ours := strings.CutPrefix(name, endedFile)
		week, err := strconv.ParseInt(number, 10, 64)
		if !ours || err != nil {
			continue
		}
		if week < weekOf(time.Now()) {
			_ = folder.Remove(name) // the next start tries again
			continue
		}
		data, err := rootfs.ReadFile(folder, name, maxEnded*int64(len(digest(""))+1))
		if err != nil && err != rootfs.ErrTooLarge {
			return err
		}
		for line := range strings.Lines(string(data)) {
			k.ended.add(strings.TrimSuffix(line, "\n"), week)
		}
	}
	return nil
}

// end records that the client of a session ended it.
func (k *Keys) end(session string, expires time.Time) {
	week := weekOf(expires)
	if !k.ended.add(session, week) || k.ended.folder == nil {
		return
	}
	file, err := k.ended.folder.Append(endedFile + strconv.FormatInt(week, 10))
	if err != nil {
		return // the session is ended until a restart
	}
	defer file.Close()
	_, _ = file.WriteString(session + "\n")
}

func (k *Keys) hasEnded(session string) bool {
	k.ended.mu.Lock()
	defer k.ended.mu.Unlock()
	_, ended := k.ended.weeks[session]
	return ended
}

// add adds a session, unless there are too many.
func (e *endings) add(session string, week int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.weeks) >= maxEnded {
		maps.DeleteFunc(e.weeks, func(_ string, week int64) bool { return week < weekOf(time.Now()) })
	}
	if len(e.weeks) >= maxEnded {
		return false
	}
	if e.weeks == nil {
		e.weeks = make(map[string]int64)
	}
	e.weeks[session] = week
	return true
}
