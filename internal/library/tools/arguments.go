package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// Arguments decodes the arguments of a call into dst, a pointer to a struct. Unknown ones are a
// [*Mistake].
func Arguments(raw json.RawMessage, dst any) error {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(dst)
	if err == nil {
		if _, err := dec.Token(); err != io.EOF {
			return badCall("the arguments must be one object")
		}
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return badCall("the arguments must be an object, not %s", wrong.Value)
		}
		return badCall("the argument %s is %s, must be %s", wrong.Field, wrong.Value, kindOf(wrong.Type.Kind().String()))
	}
	reason := strings.TrimPrefix(err.Error(), "json: ")
	for _, u := range unknown(reflect.TypeOf(dst), "", raw) {
		if reason == fmt.Sprintf("unknown field %q", u.name) {
			return badCall("the arguments are wrong: unknown field %s%s", protocol.Shown(u.within+u.name), nearest.Meant(u.name, u.known))
		}
	}
	return badCall("the arguments are wrong: %s", reason)
}

// An unknownField is a member of an object that the struct for it has no field for.
type unknownField struct {
	within string // "scrapeOptions." of another member; else ""
	name   string
	known  []string
}

// unknown returns the unknown members of JSON that is decoded into a type, sorted.
func unknown(t reflect.Type, within string, raw json.RawMessage) (list []unknownField) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var object map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &object) != nil {
		return nil
	}
	var names []string
	types := make(map[string]reflect.Type)
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
		types[strings.ToLower(name)] = f.Type
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if field, ok := types[strings.ToLower(name)]; ok {
			list = append(list, unknown(field, within+name+".", object[name])...)
		} else {
			list = append(list, unknownField{within, name, names})
		}
	}
	return list
}

// kindOf is a kind of Go as JSON calls it.
func kindOf(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number"
	case "slice":
		return "an array"
	case "struct", "map":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}
