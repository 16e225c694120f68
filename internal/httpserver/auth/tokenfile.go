package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

const (
	shortestToken = 16
	longestName   = 100
)

// tokens are the accepted tokens of the file and the environment variable.
type tokens struct {
	file    string     // "": no file
	single  *entry     // from the environment variable; nil: none
	group   *FileGroup // nil: no file
	logger  *slog.Logger
	entries atomic.Pointer[[]*entry]
}

// An entry is a token and its name.
type entry struct {
	name string
	line int // in the file; 0: from the environment variable
	sum  [sha256.Size]byte
	life context.Context // ends when the entry leaves the list
	end  context.CancelFunc
}

func newEntry(name, token string, line int) *entry {
	e := &entry{name: name, line: line, sum: sha256.Sum256([]byte(token))}
	e.life, e.end = context.WithCancel(context.Background())
	return e
}

func newTokens(file, single *string, logger *slog.Logger) (*tokens, error) {
	t := &tokens{logger: logger}
	t.entries.Store(&[]*entry{})
	if single != nil {
		if err := checkToken(*single); err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", TokenVariable, err)
		}
		t.single = newEntry(TokenVariable, *single, 0)
	}
	if file != nil {
		if *file == "" {
			return nil, errors.New("--token-file is empty; give it the name of a file, or leave it out")
		}
		t.file = *file
		t.group = FollowFile(t.file)
	}
	if _, _, err := t.read(); err != nil {
		return nil, err
	}
	return t, nil
}

// find returns the entry of a token, or nil. It takes the same time for all tokens of the same
// length.
func (t *tokens) find(token string) *entry {
	sum := sha256.Sum256([]byte(token))
	var found *entry
	for _, e := range *t.entries.Load() {
		if subtle.ConstantTimeCompare(e.sum[:], sum[:]) == 1 {
			found = e
		}
	}
	return found
}

func (t *tokens) run(ctx context.Context) {
	if t.group == nil {
		return
	}
	t.group.Run(ctx, func() {
		added, removed, err := t.read()
		if err != nil {
			t.logger.Error("the changed list of tokens is refused; the old one stays in use", "error", err)
			return
		}
		t.logger.Info("the list of tokens was read again", "file", t.file, "added", added, "removed", removed)
	})
}

// read reads the list and replaces the old one. It returns the names that were added and removed. A
// name whose token differs is in both.
func (t *tokens) read() (added, removed []string, err error) {
	var list []*entry
	if t.single != nil {
		list = append(list, t.single)
	}
	if t.file != "" {
		text, err := ReadFile(t.file, t.logger)
		if err != nil {
			return nil, nil, fmt.Errorf("token file %w", err)
		}
		if list, err = parseTokens(list, text); err != nil {
			return nil, nil, fmt.Errorf("token file %q: %w", t.file, err)
		}
	}
	old := *t.entries.Load()
	kept := map[*entry]bool{}
	for i, e := range list {
		for _, o := range old {
			if o.name == e.name && o.sum == e.sum {
				list[i], kept[o] = o, true
			}
		}
		if !kept[list[i]] {
			added = append(added, e.name)
		}
	}
	t.entries.Store(&list)
	for _, o := range old {
		if !kept[o] {
			removed = append(removed, o.name)
			o.end()
		}
	}
	return added, removed, nil
}

// parseTokens adds the tokens in a file to a list. Its errors contain only line numbers, because a
// token may be where a name should be.
func parseTokens(list []*entry, text []byte) ([]*entry, error) {
	names, sums := map[string]*entry{}, map[[sha256.Size]byte]*entry{}
	for _, e := range list {
		names[e.name], sums[e.sum] = e, e
	}
	before := len(list)
	var problems []error
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		fields := strings.Fields(line)
		for i, field := range fields {
			if field[0] == '#' {
				fields = fields[:i]
				break
			}
		}
		if len(fields) == 0 {
			continue
		}
		e, err := parseLine(fields, number)
		if err == nil {
			if other := names[e.name]; other != nil {
				err = fmt.Errorf("%s has the same name", other.place())
			} else if other := sums[e.sum]; other != nil {
				err = fmt.Errorf("%s has the same token", other.place())
			}
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		names[e.name], sums[e.sum] = e, e
		list = append(list, e)
	}
	if len(problems) == 0 && len(list) == before {
		problems = append(problems, errors.New("the file has no tokens; a line is a name, a blank, and a token"))
	}
	return list, errors.Join(problems...)
}

func parseLine(fields []string, number int) (*entry, error) {
	if len(fields) != 2 {
		return nil, errors.New("it must be a name, a blank, and a token")
	}
	name, token := fields[0], fields[1]
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return nil, errors.New("the name has a character that is not printable")
	case len(name) > longestName:
		return nil, fmt.Errorf("the name is longer than %d bytes", longestName)
	}
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return newEntry(name, token, number), nil
}

func (e *entry) place() string {
	if e.line == 0 {
		return "the environment variable " + TokenVariable
	}
	return fmt.Sprintf("line %d", e.line)
}

func checkToken(token string) error {
	switch {
	case token == "":
		return errors.New("the token is empty")
	case len(token) < shortestToken:
		return fmt.Errorf("the token is shorter than %d characters", shortestToken)
	case strings.HasPrefix(token, "replace-this"):
		return errors.New("the token is the placeholder of an example; \"openssl rand -hex 24\" prints one")
	case len(token) > longestToken:
		return fmt.Errorf("the token is longer than %d characters", longestToken)
	case !visible(token):
		return errors.New("the token may have only visible ASCII characters, because it is sent in a header")
	}
	return nil
}
