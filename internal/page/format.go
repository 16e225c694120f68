package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

var functions = template.FuncMap{
	"size": sizeText, "count": countText,
	"day":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"lower": strings.ToLower,
	"first": func(nodes []node) []node { return nodes[:min(len(nodes), maxBrief)] },
	"sentence": func(s string) string { // a text of ours, which begins in ASCII
		if s == "" {
			return ""
		}
		return strings.ToUpper(s[:1]) + s[1:]
	},
	"plural": func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return countText(n) + " " + one + "s"
	},
}

// sizeText formats a number of bytes.
func sizeText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// countText formats a number with commas between thousands.
func countText(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
