package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/excerpt"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// maxWrong is how many mistakes are reported, so that an answer is not many times as long as the
// arguments.
const maxWrong = 20

// Wrong collects the mistakes in the arguments of a call.
type Wrong struct {
	list    []string
	ignored []string // sentences about unknown arguments that are similar to known ones
}

// Add adds a mistake in an argument, or in all arguments together if name is "".
func (w *Wrong) Add(name, format string, args ...any) {
	if name != "" {
		name += ": "
	}
	if len(w.list) < maxWrong {
		w.list = append(w.list, name+fmt.Sprintf(format, args...))
	}
}

// Err returns one [*Mistake] with all mistakes, or nil.
func (w *Wrong) Err() error {
	if len(w.list) == 0 {
		return nil
	}
	return Invalid(strings.Join(w.list, ", "))
}

// Invalid returns a [*Mistake] that says why arguments are invalid.
func Invalid(reason string) error { return badCall("Invalid arguments: %s", reason) }

// A Schema is the JSON Schema of a tool's arguments, and reads them. [SchemaOf] makes it.
type Schema struct {
	JSON json.RawMessage // for a [Tool]

	lenient   bool // see [lenient]
	arguments *jsonschema.Schema
	defaults  json.RawMessage
}

// Read reads the arguments of a call into dst, a pointer to a struct of the schema. Wrong arguments are reported in the
// result, with suggestions, and are not read. null means no value. Names match regardless of case. An unknown
// argument is ignored, but if it is similar to a known one and the schema is not lenient, it is wrong.
// What clients send in another form is read where the type leaves no doubt: JSON as a text, one value for a list, a number
// or a truth value as a text, and an empty list for an empty object.
func (s *Schema) Read(raw json.RawMessage, dst any) *Wrong {
	r := &reader{lenient: s.lenient}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw = meant('{', raw); raw[0] != '{' || !json.Valid(raw) {
		r.wrong.Add("", "they must be an object")
		return &r.wrong
	}
	_ = json.Unmarshal(s.defaults, dst) // made of the fields of dst
	if err := json.Unmarshal(r.object(s.arguments, "", raw), dst); err != nil {
		// dst allows less than the schema
		r.wrong.Add("", "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return &r.wrong
}

type reader struct {
	wrong   Wrong
	lenient bool // see [Schema]
}

// meant returns the value of a type that a value stands for, if it has another form. begins is the first byte of the type: '{', '[', 't'
// for true and false, '0' for numbers.
func meant(begins byte, raw json.RawMessage) json.RawMessage {
	text, isText := jsonwire.Unquote(raw)
	text = strings.TrimSpace(text)
	switch {
	case begins == '{' && raw[0] == '[' && jsonwire.Space(raw, 1) == len(raw)-1:
		return json.RawMessage("{}")
	case !isText || text == "" || !json.Valid([]byte(text)):
	case text[0] == begins, begins == '0' && (text[0] == '-' || text[0] >= '0' && text[0] <= '9'), begins == 't' && text == "false":
		return json.RawMessage(text)
	}
	return raw
}

// value returns the JSON of a value without wrong parts, or nil if the value is wrong.
func (r *reader) value(s *jsonschema.Schema, name string, raw json.RawMessage) json.RawMessage {
	must := func(kind string) json.RawMessage {
		r.wrong.Add(name, "is %s, must be %s", kindOf(raw), kind)
		return nil
	}
	switch s.Type {
	case "string":
		text, ok := jsonwire.Unquote(raw)
		if !ok {
			return must("a string")
		}
		switch allowed := choices(s); {
		case s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength:
			r.wrong.Add(name, "has %d characters, must have at most %d", utf8.RuneCountInString(text), *s.MaxLength)
			return nil
		case allowed == nil, slices.Contains(allowed, text):
		case text == "": // models write this for no value
			return json.RawMessage("null")
		default:
			r.wrong.Add(name, "%s", nearest.NotOneOf(text, allowed))
			return nil
		}
	case "integer":
		if raw = meant('0', raw); raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
			return must("a whole number")
		}
		return r.integer(s, name, raw)
	case "boolean":
		raw = meant('t', raw)
		if first := raw[0]; first != 't' && first != 'f' {
			return must("true or false")
		}
	case "array":
		if raw = meant('[', raw); raw[0] != '[' {
			if raw[0] == '{' && s.Items.Type != "object" {
				return must("an array")
			}
			before := len(r.wrong.list)
			one := r.value(s.Items, name, raw)
			if len(r.wrong.list) > before {
				r.wrong.list = r.wrong.list[:before]
				return must("an array")
			}
			return slices.Concat([]byte("["), one, []byte("]"))
		}
		return r.array(s, name, raw)
	case "object":
		if raw = meant('{', raw); raw[0] != '{' {
			return must("an object")
		}
		return r.object(s, name+".", raw)
	}
	return raw
}

// integer is value for a number.
func (r *reader) integer(s *jsonschema.Schema, name string, raw json.RawMessage) json.RawMessage {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil { // such as 1e3
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
			r.wrong.Add(name, "is %s, must be a whole number", excerpt.Cut(string(raw), 30))
			return nil
		}
		n = int64(f)
		raw = strconv.AppendInt(nil, n, 10)
	}
	low, high := s.Minimum != nil && float64(n) < *s.Minimum, s.Maximum != nil && float64(n) > *s.Maximum
	switch {
	case (low || high) && s.Minimum != nil && s.Maximum != nil:
		r.wrong.Add(name, "is %d, must be from %.0f to %.0f", n, *s.Minimum, *s.Maximum)
		return nil
	case low:
		r.wrong.Add(name, "is %d, must be at least %.0f", n, *s.Minimum)
		return nil
	case high:
		r.wrong.Add(name, "is %d, must be at most %.0f", n, *s.Maximum)
		return nil
	}
	return raw
}

func (r *reader) array(s *jsonschema.Schema, name string, raw json.RawMessage) json.RawMessage {
	given := jsonwire.Entries(raw, math.MaxInt)
	if s.MaxItems != nil && len(given) > *s.MaxItems {
		r.wrong.Add(name, "has %d values, must have at most %d", len(given), *s.MaxItems)
		return nil
	}
	var items [][]byte
	before := len(r.wrong.list)
	for i, item := range given {
		read := json.RawMessage(item)
		if string(item) != "null" {
			read = r.value(s.Items, fmt.Sprintf("%s[%d]", name, i), item)
		}
		items = append(items, read)
	}
	if len(r.wrong.list) > before {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
}

// object reads the members of an object. prefix is the path of the object in messages: "" for the
// arguments themselves, or "scrapeOptions." for example.
func (r *reader) object(s *jsonschema.Schema, prefix string, raw json.RawMessage) json.RawMessage {
	given := make(map[string]json.RawMessage)
	known := slices.Sorted(maps.Keys(s.Properties))
	jsonwire.Members(raw, func(key string, val []byte) {
		name := strings.Clone(key)
		if s.Properties != nil && s.Properties[name] == nil {
			if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
				name = known[i]
			}
		}
		if string(val) != "null" || given[name] == nil { // null is a missing value
			given[name] = val
		}
	})
	var members [][]byte
	for _, name := range slices.Sorted(maps.Keys(given)) {
		member := s.Properties[name]
		if s.Properties == nil {
			member = s.AdditionalProperties
		}
		val := given[name]
		switch {
		case member == nil:
			switch near, shown := nearest.Meant(name, known), excerpt.Cut(name, 60); {
			case near == "":
			case !r.lenient:
				r.wrong.Add(prefix+shown, "is not an argument%s", near)
			case len(r.wrong.ignored) < maxWrong:
				r.wrong.ignored = append(r.wrong.ignored, shown+" was ignored: it is not an argument"+near)
			}
			continue
		case string(val) == "null":
			delete(given, name)
			continue
		}
		if val = r.value(member, prefix+name, val); val != nil {
			members = append(members, append(append(jsonwire.AppendString(nil, name), ':'), val...))
		}
	}
	for _, name := range s.Required {
		if given[name] == nil {
			r.wrong.Add(prefix+name, "is missing")
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// choices returns the strings that a schema allows; nil: all.
func choices(s *jsonschema.Schema) (list []string) {
	for _, v := range s.Enum {
		if text, ok := v.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// kindOf describes the type of a JSON value for a message.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 't', 'f', 'n':
		return string(raw)
	}
	return "a number"
}
