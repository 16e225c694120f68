package webclient

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Bounds of a robots.txt. Its patterns become regular expressions, all of which are matched with each
// URL, and each rule is kept once for each program that its group names.
const (
	maxRobotsLine   = 2 << 10 // bytes
	maxWildcards    = 16      // in a line
	maxPatterns     = 2000    // lines
	maxPatternBytes = 64 << 10
	maxRobotsRules  = 1 << 20 // rules, times programs
)

// boundedRobots returns a robots.txt without the lines that would be slow to match, and without the
// lines after the first [maxRobotsRules] rules.
func boundedRobots(body []byte) []byte {
	var kept bytes.Buffer
	patterns, size, agents, rules := 0, 0, 0, 0
	inRules := false // the group already has a rule, so the next agent begins another group
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = bytes.Trim(line, " \t\v"); len(line) > maxRobotsLine || bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		for bytes.Contains(line, []byte("**")) {
			line = bytes.ReplaceAll(line, []byte("**"), []byte("*"))
		}
		key, value := robotsField(line)
		everybody := key == "user-agent" && (value == "*" || strings.HasPrefix(value, "* #"))
		if bytes.ContainsAny(line, "*$") && !everybody {
			if bytes.Count(line, []byte("*")) > maxWildcards || patterns == maxPatterns || size+len(line) > maxPatternBytes {
				continue
			}
			patterns++
			size += len(line)
		}
		// A line may hold several fields, so agents are counted anywhere in it.
		if n := bytes.Count(bytes.ToLower(line), []byte("agent")); n > 0 {
			if inRules {
				agents, inRules = 0, false
			}
			agents += n
		}
		if rules += agents; rules > maxRobotsRules {
			break
		}
		if (key == "allow" || key == "disallow") && value != "" && utf8.ValidString(value) {
			inRules = true
		}
		kept.Write(line)
		kept.WriteByte('\n')
	}
	return kept.Bytes()
}

// robotsField returns the key of a line in lower case, and its value.
func robotsField(line []byte) (key, value string) {
	key, value, _ = strings.Cut(string(line), ":")
	key = strings.ToLower(strings.TrimSpace(key))
	if key == "useragent" {
		key = "user-agent"
	}
	return key, strings.TrimSpace(value)
}
