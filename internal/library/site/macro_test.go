package site

import (
	"fmt"
	"testing"
)

func TestReadMacro(t *testing.T) {
	for line, want := range map[string]string{
		"{{code_block('a/b','c',['d'])}}": "code_block(=a/b =c =d", "{{< readfile file=\"x.yaml\" code=\"true\" >}}": "readfile file=x.yaml code=true", "  {% include-markdown 'x.md' start=\"<!--a-->\" %}": "include-markdown =x.md start=<!--a-->",
		"{{#include ../x.rs:part}}": "#include =../x.rs:part", "include-code::./A[tag=b]": "include-code =./A", "{{< x file=y.md / >}}": "x file=y.md",
		"{{ .Values.x }}": "", "{{ x | y }}": "", "{{ include \"a.b\" . }}": "", "{{< /x >}}": "", "{{</* x \"a\" */>}}": "", "{{ a }} {{ b }}": "", "{{ a": "", "text": "", "{{}}": "", "{%%}": "",
	} {
		got := ""
		if c, ok := readMacro(line); ok {
			got = c.Name
			if c.Function {
				got += "("
			} else {
				got += " "
			}
			for i, a := range c.Args {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%s=%s", a.Key, a.Value)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func FuzzReadMacro(f *testing.F) {
	f.Add("{{ a('b', c=\"d\") }}")
	f.Add("{{0 \xc6\xc6\xc6\xc6=0}}")
	f.Fuzz(func(t *testing.T, line string) {
		c, ok := readMacro(line)
		size := 0
		for _, a := range c.Args {
			size += len(a.Key) + len(a.Value)
		}
		if ok && (c.Name == "" || size > 3*len(line)) { // a byte that is not text becomes a replacement character of three bytes
			t.Errorf("%q: %+v", line, c)
		}
	})
}
