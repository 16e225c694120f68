package npm

import "strings"

// scan reads the YAML of a file that a package manager wrote: mappings by indentation, scalars on one line, and lists of
// scalars. It yields each key with the keys above it, and its value, or "" if the key has keys of its own. An item of a
// list has the key "-". yarn.lock of Yarn 1, which has a space instead of a colon before values, can be read too. keys is
// valid until yield returns.
func scan(text string, yield func(keys []string, value string)) {
	var keys []string
	var indents []int
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		bare := strings.TrimLeft(line, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		indent := len(line) - len(bare)
		item := strings.HasPrefix(bare, "- ")
		for n := len(indents) - 1; n >= 0 && (indents[n] > indent || indents[n] == indent && (!item || keys[n] == "-")); n-- {
			keys, indents = keys[:n], indents[:n]
		}
		if len(keys) > 16 {
			continue
		}
		key, value := "-", bare[1:]
		if !item {
			key, value = keyOf(bare)
		}
		keys, indents = append(keys, key), append(indents, indent)
		yield(keys, strings.Trim(value, ` "'`))
	}
}

// keyOf splits a line at the end of its key.
func keyOf(line string) (key, value string) {
	if q := line[0]; q == '\'' || q == '"' {
		if i := strings.IndexByte(line[1:], q); i >= 0 {
			key, value = line[1:i+1], line[i+2:]
			if rest, ok := strings.CutPrefix(value, ":"); ok {
				return key, rest
			}
			if !strings.HasSuffix(value, ":") { // Yarn 1: "name" "value"
				return key, value
			}
		}
	}
	if key, ok := strings.CutSuffix(line, ":"); ok { // several ranges of Yarn 1
		return key, ""
	}
	if key, value, ok := strings.Cut(line, ": "); ok {
		return key, value
	}
	key, value, _ = strings.Cut(line, " ")
	return key, value
}
