package tools

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/jsonwire"
)

// SchemaOf returns the schema of the fields of a struct that have a name for JSON, with their defaults, and makes it at the first call. The tag
// doc of a field is its description. The tag schema has keywords separated by spaces: required, minimum=1, maximum=5, maxLength=9
// (characters), maxItems=9, default=3, and enum=a|b for a text or the items of a list. The arguments without are left out.
func SchemaOf[T any](without ...string) func() *Schema {
	return sync.OnceValue(func() *Schema {
		defaults := make(map[string]any)
		o := object(reflect.TypeFor[T](), defaults)
		for _, name := range without {
			delete(o.Properties, name)
		}
		text, err := jsonwire.Encode(o)
		values, failure := json.Marshal(defaults)
		if err != nil || failure != nil {
			panic("the tags of a tool are wrong")
		}
		return &Schema{JSON: text, arguments: o, defaults: values}
	})
}

// lenient is [SchemaOf] for a tool that reports missing arguments itself, and that takes any number: a negative one, 0 and an empty
// string mean no value.
func lenient[T any](without ...string) func() *Schema {
	return sync.OnceValue(func() *Schema {
		s := SchemaOf[T](without...)()
		s.lenient, s.arguments.Required = true, nil
		for _, property := range s.arguments.Properties {
			property.Minimum, property.Maximum = nil, nil
		}
		return s
	})
}

// object returns the schema of a struct, and adds the defaults of its fields.
func object(t reflect.Type, defaults map[string]any) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Properties: make(map[string]*jsonschema.Schema)}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		inner := make(map[string]any)
		p := property(f.Type, inner)
		// the absence of a pointer has a meaning
		if len(inner) > 0 && f.Type.Kind() != reflect.Pointer {
			defaults[name] = inner
		}
		p.Description = f.Tag.Get("doc")
		for keyword := range strings.FieldsSeq(f.Tag.Get("schema")) {
			key, value, _ := strings.Cut(keyword, "=")
			number, _ := strconv.ParseFloat(value, 64)
			switch key {
			case "required":
				o.Required = append(o.Required, name)
			case "minimum":
				p.Minimum = &number
			case "maximum":
				p.Maximum = &number
			case "maxLength":
				p.MaxLength = new(int(number))
			case "maxItems":
				p.MaxItems = new(int(number))
			case "enum":
				target := p
				if p.Items != nil {
					target = p.Items
				}
				for choice := range strings.SplitSeq(value, "|") {
					target.Enum = append(target.Enum, choice)
				}
			case "default":
				if p.Type == "string" {
					value = strconv.Quote(value)
				}
				p.Default = json.RawMessage(value)
				defaults[name] = p.Default
			}
		}
		o.Properties[name] = p
		o.PropertyOrder = append(o.PropertyOrder, name)
	}
	return o
}

// property returns the schema of a type.
func property(t reflect.Type, defaults map[string]any) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return property(t.Elem(), defaults)
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: property(t.Elem(), nil)}
	case reflect.Struct:
		return object(t, defaults)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: property(t.Elem(), make(map[string]any))}
	}
	return &jsonschema.Schema{Type: "string"}
}
