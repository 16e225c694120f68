package page

import (
	"strings"
	"testing"
)

func TestToolForm(t *testing.T) {
	web := serve(t, "", "test")
	_, body := get(t, web.URL+"/tools/searchTest")
	last := 0
	for _, part := range []string{ // in this order
		"Search and read the documentation of &#34;Test&#34;.", "<details class=\"help\"><summary>More</summary>",
		`name="arg.query"`, `name="arg.alternatives"`, "<summary>More arguments</summary>", `name="arg.limit"`, "Call the tool",
	} {
		i := strings.Index(body[last:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or before the part above it, in\n%s", part, body)
		}
		last += i
	}
}
