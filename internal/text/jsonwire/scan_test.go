package jsonwire

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

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
