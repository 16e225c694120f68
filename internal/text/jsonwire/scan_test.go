package jsonwire

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestDepth(t *testing.T) {
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		doc := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := Valid(doc), json.Valid(doc); got != want {
			t.Errorf("depth %d: valid %v, encoding/json says %v", depth, got, want)
		}
	}
}

// FuzzValid: Valid agrees with encoding/json.
func FuzzValid(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, ` true `, `false`, `nul`, `tru e`, `0`, `-0`, `-`, `01`, `1.`, `1.5`, `.5`, `1e5`, `1E+5`, `1e-`, `1e`,
		`""`, `"abcdefgh"`, `"abcdefg\"h"`, `"abcdefghi` + "\n" + `"`, `"\u00e9"`, `"\u00g9"`, `"\u00"`, `"\x"`, `"\`, `"`, "\"\x7f\x80\xff\x1f\"",
		`[]`, `[ ]`, `[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":{"b":[{}]}}`,
		`1 2`, `[]]`, `"12345678"1`, `"1234567` + "\x00" + `"`, `"1234567!"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, want := Valid(doc), json.Valid(doc); got != want {
			t.Errorf("Valid(%q) = %v", doc, got)
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
