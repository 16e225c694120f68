package clients

import "strings"

// A snippet is the text for the file of a client.
type snippet struct {
	format, key, entry, text string
	fields                   []field // of the entry, for JSON and TOML
}

// A field of a JSON object: its key and its value as JSON. The zero field stands for no field.
type field struct{ key, value string }

// object returns a JSON object on one line, without spaces.
func object(fields []field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = quote(f.key) + ":" + f.value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// fields returns the JSON fields that start a server on a system, or that hold its URL. The key of
// a URL depends on the client.
func (s Server) fields(goos, urlKey, comma string) []field {
	if s.URL != "" {
		return []field{{urlKey, quote(s.URL)}}
	}
	words := s.words(goos)
	return []field{{"command", quote(words[0])}, {"args", array(words[1:], comma)}}
}

// jsonFile returns a JSON file with one object for each server under key. In the object, local or
// remote is the first field if it is not zero.
func jsonFile(key string, local, remote field, urlKey string) func(Server, string) snippet {
	return func(s Server, goos string) snippet {
		fields := s.fields(goos, urlKey, ", ")
		first := local
		if s.URL != "" {
			first = remote
		}
		if first.key != "" {
			fields = append([]field{first}, fields...)
		}
		return jsonEntry(key, s.Name, fields)
	}
}

// opencodeFile returns a JSON file in which the program and its arguments are one array.
func opencodeFile(s Server, goos string) snippet {
	fields := []field{{"type", `"local"`}, {"command", array(s.words(goos), ", ")}}
	if s.URL != "" {
		fields = []field{{"type", `"remote"`}, {"url", quote(s.URL)}}
	}
	return jsonEntry("mcp", s.Name, fields)
}

// jsonEntry returns a JSON file with one server.
func jsonEntry(key, name string, fields []field) snippet {
	var b strings.Builder
	b.WriteString("{\n  " + quote(key) + ": {\n    " + quote(name) + ": {\n")
	for i, f := range fields {
		b.WriteString("      " + quote(f.key) + ": " + f.value)
		if i < len(fields)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("    }\n  }\n}\n")
	return snippet{"json", key, name, b.String(), fields}
}

// codexFile returns a TOML table. It begins with an empty line, so that it can be appended to any
// file.
func codexFile(s Server, goos string) snippet {
	fields := s.fields(goos, "url", ", ")
	text := "\n[" + codexKey + "." + s.Name + "]\n" // a name is a bare key
	for _, f := range fields {
		text += f.key + " = " + f.value + "\n"
	}
	return snippet{"toml", "", s.Name, text, fields}
}

const codexKey = "mcp_servers"

// gooseFile returns a YAML file. Goose looks up the name in lower case.
func gooseFile(s Server, goos string) snippet {
	key := strings.ToLower(s.Name)
	var b strings.Builder
	b.WriteString("extensions:\n  " + quote(key) + ":\n    enabled: true\n") // quoted, because YAML does not treat null as a string
	put := func(key, value string) { b.WriteString("    " + key + ": " + value + "\n") }
	if s.URL != "" {
		put("type", "streamable_http")
	} else {
		put("type", "stdio")
	}
	put("name", quote(s.Name))
	put("description", quote(s.description()))
	if s.URL != "" {
		put("uri", quote(s.URL))
	} else {
		words := s.words(goos)
		put("cmd", quote(words[0]))
		put("args", array(words[1:], ", "))
	}
	put("timeout", "300") // seconds; the value that Goose itself writes
	return snippet{"yaml", "extensions", key, b.String(), nil}
}

func (s Server) description() string { return "Documentation of " + s.title() }
