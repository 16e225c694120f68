// Package must does in tests what cannot fail unless the test itself or its computer is broken. A failure ends the test,
// in the line that calls. [Contain] and [Equal] compare.
package must

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Do ends the test if err is not nil:
//
//	must.Do(t, os.Remove(name))
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the first result of a call, and ends the test if the second is an error:
//
//	data := must.Get(os.ReadFile(name))(t)
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Write writes a file, and makes the folders above it.
func Write(t testing.TB, file, text string) {
	t.Helper()
	Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
	Do(t, os.WriteFile(file, []byte(text), 0o600))
}

// Serve starts a web server, which ends with the test.
func Serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// Contain reports what a text lacks, and goes on with the test.
func Contain(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas no %q", text, want)
		}
	}
}

// Equal reports how a value differs from the wanted one, and goes on with the test. about says which value it is.
func Equal(t testing.TB, want, got any, about ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", fmt.Sprint(about...), diff)
	}
}

// SkipUnderRace skips a test that computes for long if the race detector is on, which makes it ten times slower: smaller tests run the same code
// with the detector. .ci/run runs it without the detector, too.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if RaceEnabled {
		t.Skip("it runs without the race detector")
	}
}

// LastMoment returns when a waiting test gives up: shortly before go test ends it, so that no computer is too slow and
// the test can still report what it waits for.
func LastMoment(t *testing.T) time.Time {
	if end, ok := t.Deadline(); ok {
		return end.Add(-10 * time.Second)
	}
	return time.Now().Add(24 * time.Hour)
}

// Until waits until done returns true, for a minute at most.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after a minute", what)
		}
	}
}

// An Output collects what a program writes. Several goroutines may write and read it.
type Output struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
