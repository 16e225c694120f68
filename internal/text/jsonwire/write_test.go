package jsonwire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// standard returns the encoding of a string by encoding/json.
func standard(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must.Do(t, enc.Encode(s))
	return strings.TrimSuffix(b.String(), "\n")
}

// written returns the output of a Writer.
func written(t *testing.T, write func(w *Writer)) string {
	t.Helper()
	var b strings.Builder
	w := NewWriter(&b)
	write(w)
	must.Do(t, w.Flush())
	return b.String()
}

func checkString(t *testing.T, s string) {
	t.Helper()
	want := strings.ReplaceAll(standard(t, s), `\ufffd`, "\ufffd")
	if got := string(AppendString([]byte("x"), s)); got != "x"+want {
		t.Errorf("AppendString(%.100q) = %.100s, want %.100s", s, got[1:], want)
	}
	if got := written(t, func(w *Writer) { w.String(s) }); got != want {
		t.Errorf("String(%.100q) writes %.100s", s, got)
	}
	if !utf8.ValidString(s) {
		return
	}
	if got := written(t, func(w *Writer) { w.Raw([]byte(`"`)); w.Text([]byte(s)); w.RawString(`"`) }); got != want {
		t.Errorf("Text(%.100q) writes %.100s", s, got)
	}
	if got := EscapedLen([]byte(s)); got != len(want)-2 {
		t.Errorf("EscapedLen(%.100q) = %d, want %d", s, got, len(want)-2)
	}
}

func TestStrings(t *testing.T) {
	times := 10_000
	if must.RaceEnabled {
		times = 1_000
	}
	var all strings.Builder
	for r := range rune(0x300) {
		all.WriteRune(r)
	}
	for _, s := range []string{
		"", "plain", "<&>", "\u2028 \u2029 \u2027 \u202a \ufeff", "\xe2\x80", "\xe2", "a\xffb", "\U0001f514", "\"\\/\b\f\n\r\t\x00\x1f\x7f", all.String(),
	} {
		checkString(t, s)
		checkString(t, strings.Repeat(s, times))
		for pad := range 20 { // cross the end of the buffer and of a word
			checkString(t, strings.Repeat("a", bufferSize-10+pad)+s+"end")
			checkString(t, strings.Repeat("a", pad)+s+"end")
		}
	}
}

func TestBase64(t *testing.T) {
	data := make([]byte, 3*bufferSize+1)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for _, n := range []int{0, 1, 2, 3, 4, bufferSize / 4 * 3, bufferSize/4*3 + 1, len(data)} {
		for pad := range 5 {
			got := written(t, func(w *Writer) { w.RawString(strings.Repeat(" ", pad)); w.Base64(data[:n]) })
			if got != strings.Repeat(" ", pad)+base64.StdEncoding.EncodeToString(data[:n]) {
				t.Errorf("%d bytes after %d are written wrongly", n, pad)
			}
		}
	}
}

// After an output fails, nothing more is written to it, and every write returns quickly.
func TestWriterErrors(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	w := NewWriter(writerFunc(func([]byte) (int, error) { calls++; return 0, broken }))
	w.Raw(bytes.Repeat([]byte("x"), 10*bufferSize))
	w.Text(bytes.Repeat([]byte("\n"), 10*bufferSize))
	w.Base64(make([]byte, 10*bufferSize))
	w.String(strings.Repeat("x", 10*bufferSize))
	w.RawString(strings.Repeat("x", 10*bufferSize))
	if err := w.Flush(); err != broken || w.Err() != broken || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func FuzzStrings(f *testing.F) {
	f.Add("a\u2028\"\xe2\x80\xa8\xff<")
	f.Fuzz(func(t *testing.T, s string) { checkString(t, s) })
}

// A string of any length is written the same as AppendString appends it, wherever its characters
// lie in the pieces, and the buffer does not grow.
func TestStringInPieces(t *testing.T) {
	for _, unit := range []string{"a", "é", "€", "𝄞", "\xff", "\x80", "a\x80\x80\x80", "\xe2\x82", "\"\n", "\u2028"} {
		for shift := range utf8.UTFMax {
			s := strings.Repeat("-", shift) + strings.Repeat(unit, 3*maxPiece/len(unit))
			var got bytes.Buffer
			w := NewWriter(&got)
			w.String(s)
			if cap(w.buf) != bufferSize {
				t.Fatalf("%q: the buffer grows to %d", unit, cap(w.buf))
			}
			if err := w.Flush(); err != nil || !bytes.Equal(got.Bytes(), AppendString(nil, s)) {
				t.Errorf("%q after %d bytes: %v", unit, shift, err)
			}
		}
	}
}

// FuzzMembers: Members and Entries find what encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "a" : 1 , "b\u0041\"" : [1, {"c": "]}"}] } `, `[ ]`, `[-1e5,true,null,"\\","\"",[[]],{"a":{}}]`, `"a"`, `{"a":1,"a":2}`, "[\n0\t,\"é\"\r]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !json.Valid(doc) || !utf8.Valid(doc) {
			t.Skip()
		}
		var object map[string]json.RawMessage
		got := make(map[string]json.RawMessage)
		Members(doc, func(key string, val []byte) { got[strings.Clone(key)] = val })
		if json.Unmarshal(doc, &object) == nil && len(object)+len(got) > 0 && !reflect.DeepEqual(got, object) {
			t.Errorf("members of %q: %q, want %q", doc, got, object)
		}
		var array []json.RawMessage
		if json.Unmarshal(doc, &array) != nil || array == nil {
			return
		}
		entries := Entries(doc, math.MaxInt)
		if len(entries) != len(array) {
			t.Fatalf("entries of %q: %q", doc, entries)
		}
		for i, entry := range entries {
			if string(entry) != string(array[i]) {
				t.Errorf("entry %d of %q: %q", i, doc, entry)
			}
			if text, ok := Unquote(entry); ok {
				var want string
				if json.Unmarshal(entry, &want) != nil || text != want {
					t.Errorf("%q is %q, want %q", entry, text, want)
				}
			}
		}
	})
}

func TestEncode(t *testing.T) {
	v := map[string]any{"a": "<b> & \u2028\n", "n": []int{1}}
	for _, test := range []struct {
		encode func(any) ([]byte, error)
		want   string
	}{
		{Encode, `{"a":"<b> & \u2028\n","n":[1]}`},
		{EncodeFile, "{\n  \"a\": \"<b> & \\u2028\\n\",\n  \"n\": [\n    1\n  ]\n}\n"},
	} {
		if got, err := test.encode(v); err != nil || string(got) != test.want {
			t.Errorf("got %s, %v, want %s", got, err, test.want)
		}
		if got, err := test.encode(func() {}); err == nil {
			t.Errorf("a function is %s", got)
		}
	}
}

func TestTimesMatchStandardLibrary(t *testing.T) {
	var times Times
	check := func(nano int64) {
		t.Helper()
		want := time.Unix(0, nano).UTC().Format(time.RFC3339Nano)
		if got := string(times.Append(nil, nano)); got != want {
			t.Errorf("%d: %s, want %s", nano, got, want)
		}
	}
	const day = secondsOfDay * 1e9
	for _, nano := range []int64{0, 1, -1, 1e9, -1e9, day, day - 1, -day, -day - 1, math.MaxInt64, math.MinInt64, 1_700_000_000_100_000_000} {
		check(nano)
		check(nano)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		nano := rnd.Int64() - rnd.Int64()
		check(nano)
		check(nano - nano%1e6)
		check(nano/day*day + rnd.Int64N(day))
	}
}
