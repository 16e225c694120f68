package stdio

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
)

// FuzzSession asserts that whatever a client sends, each line of the output is JSON, and a later call is answered.
func FuzzSession(f *testing.F) {
	call := ping("1")
	for _, seed := range []string{
		"", call + "\r\n" + call, "x\n{}\n[]\n", "[" + call + ",1,[]]", cancelled("1"), `{"jsonrpc":"2.0","id":1e2,"method":"subscriptions/listen"}`,
		`{"\u006asonrpc":"2.0","id":"\ud800","method":"x"}`, "\"\xff\"", strings.Repeat("[", 200), strings.Repeat(" ", 251), "\r\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			in := bytes.NewReader(append(bytes.Clone(input), "\n"+ping(`"the end"`)+"\n"...))
			if err := (&Transport{In: in, Out: &out, MaxFrameBytes: 250, Handler: newTaker()}).Run(t.Context()); err != nil {
				t.Errorf("input %q: %v", input, err)
			}
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("input %q: %q", input, line)
				}
			}
			if !strings.Contains(out.String(), pong(`"the end"`)) {
				t.Errorf("input %q: answered %q", input, out.String())
			}
		})
	})
}
