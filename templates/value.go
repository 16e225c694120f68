package templates

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Values holds the values of variables by name. A name with triplets is looked up in its spelling
// in the template.
type Values map[string]Value

// Value is the value of a variable: a string, a list of strings or pairs of
// strings. The zero Value is undefined.
type Value struct {
	kind  kind
	text  string
	list  []string
	pairs []Pair
}

type kind uint8

const (
	undefined kind = iota
	text
	list
	pairs
)

// Pair is a member of an associative array.
type Pair struct{ Name, Value string }

// String returns the value of a variable that is a string.
func String(s string) Value { return Value{kind: text, text: s} }

// List returns the value of a variable that is a list. An empty list is
// undefined (RFC 6570 section 2.3).
func List(items ...string) Value {
	if len(items) == 0 {
		return Value{}
	}
	return Value{kind: list, list: slices.Clone(items)}
}

// Pairs returns the value of a variable that is an associative array, which is
// expanded in the given order. Without pairs it is undefined.
func Pairs(kv ...Pair) Value {
	if len(kv) == 0 {
		return Value{}
	}
	return Value{kind: pairs, pairs: slices.Clone(kv)}
}

// Defined reports whether v is a value. An empty string is a value.
func (v Value) Defined() bool { return v.kind != undefined }

// ValueOf converts a value decoded from JSON, or a similarly plain one, to the value of a variable:
// nil, a string, boolean or number, a []string or map[string]string, or a []any or map[string]any
// of these scalars. Nil members are left out, and a map is expanded in the order of its keys. Any
// other type is an error, and so is a number that is not finite. A Value is returned unchanged.
func ValueOf(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		return x, nil
	case []string:
		return List(x...), nil
	case []any:
		var items []string
		for i, member := range x {
			if member == nil {
				continue
			}
			s, err := scalar(member)
			if err != nil {
				return Value{}, fmt.Errorf("item %d: %w", i+1, err)
			}
			items = append(items, s)
		}
		return List(items...), nil
	case map[string]string:
		var kv []Pair
		for _, name := range slices.Sorted(maps.Keys(x)) {
			kv = append(kv, Pair{name, x[name]})
		}
		return Pairs(kv...), nil
	case map[string]any:
		var kv []Pair
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if x[name] == nil {
				continue
			}
			s, err := scalar(x[name])
			if err != nil {
				return Value{}, fmt.Errorf("member %q: %w", name, err)
			}
			kv = append(kv, Pair{name, s})
		}
		return Pairs(kv...), nil
	}
	s, err := scalar(x)
	if err != nil {
		return Value{}, err
	}
	return String(s), nil
}

func scalar(x any) (string, error) {
	switch x := x.(type) {
	case string:
		return x, nil
	case json.Number:
		return x.String(), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		return number(x, 64)
	case float32:
		return number(float64(x), 32)
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(x), nil
	}
	return "", fmt.Errorf("a %T cannot be expanded", x)
}

func number(f float64, bits int) (string, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "", fmt.Errorf("the number %v cannot be expanded", f)
	}
	return strconv.FormatFloat(f, 'f', -1, bits), nil
}
