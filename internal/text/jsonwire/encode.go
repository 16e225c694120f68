package jsonwire

import (
	"bytes"
	"encoding/json"
)

// Encode is [json.Marshal] without the escapes for HTML, which JSON readers do not need.
func Encode(v any) ([]byte, error) { return encode(v, "") }

// EncodeFile is [Encode] for files: indented by two spaces, with a line end.
func EncodeFile(v any) ([]byte, error) {
	text, err := encode(v, "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
