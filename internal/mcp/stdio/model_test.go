package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
	"github.com/mcp-docs-server/mcp-docs-server/internal/protocol"
)

// model returns the answers of a server that answers every call at once to the lines of
// input: "ok ID" or "CODE ID" for each, in brackets if they came as a batch.
// It reads them with encoding/json.
func model(input []byte, limit int) []string {
	var answers []string
	for raw := range bytes.SplitSeq(input, []byte("\n")) {
		raw = bytes.TrimSuffix(raw, []byte("\r"))
		doc := bytes.Trim(raw, " \t\r")
		switch {
		case len(raw) > limit:
			answers = append(answers, "-32600 null")
		case len(doc) == 0:
		case !utf8.Valid(doc) || !json.Valid(doc):
			answers = append(answers, "-32700 null")
		case doc[0] == '[':
			if a := modelBatch(doc); a != "" {
				answers = append(answers, a)
			}
		default:
			if a := modelMessage(doc, false); a != "" {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

func modelBatch(doc []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) != nil || len(list) == 0 || len(list) > 1000 {
		return "-32600 null"
	}
	var answers []string
	for _, entry := range list {
		answer := modelMessage(entry, true)
		if answer != "" {
			answers = append(answers, answer)
		}
	}
	if answers == nil {
		return ""
	}
	return "[" + strings.Join(answers, ",") + "]"
}

func modelMessage(doc []byte, batch bool) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(doc, &object) != nil || object == nil {
		return "-32600 null"
	}
	var version, method string
	isVersion := json.Unmarshal(object["jsonrpc"], &version) == nil && version == "2.0"
	_, hasMethod := object["method"]
	isMethod := json.Unmarshal(object["method"], &method) == nil && object["method"][0] == '"'
	id, hasID := object["id"]
	echo, key := "null", ""
	var text string
	if hasID && id[0] == '"' && json.Unmarshal(id, &text) == nil {
		echo, key = string(id), "text "+text
	} else if f, err := strconv.ParseFloat(string(id), 64); hasID && err == nil {
		echo = string(id)
		if f == math.Floor(f) && f > -0x1p63 && f < 0x1p63 {
			key = fmt.Sprint("number ", int64(f))
		}
	}
	if !hasMethod && (object["result"] != nil || object["error"] != nil) {
		return ""
	}
	if !isVersion || !isMethod || hasID && key == "" {
		return "-32600 " + echo
	}
	if batch {
		var params struct {
			Meta json.RawMessage `json:"_meta"`
		}
		var all map[string]json.RawMessage
		if json.Unmarshal(object["params"], &all) == nil {
			params.Meta = all["_meta"]
		}
		var meta map[string]json.RawMessage
		var named string
		if json.Unmarshal(params.Meta, &meta) == nil &&
			json.Unmarshal(meta["io.modelcontextprotocol/protocolVersion"], &named) == nil && named >= "2025-06-18" {
			method = "removed"
		}
		if method == "removed" || hasID && method == "initialize" {
			return "-32600 " + echo
		}
	}
	if !hasID {
		return ""
	}
	return "ok " + echo
}

// summary translates a line of output into the words of the model.
func summary(t *testing.T, doc []byte) string {
	if doc[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(doc, &list); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		var answers []string
		for _, entry := range list {
			answers = append(answers, summary(t, entry))
		}
		return "[" + strings.Join(answers, ",") + "]"
	}
	var answer struct {
		ID     json.RawMessage
		Result json.RawMessage
		Error  *struct{ Code int }
	}
	if err := json.Unmarshal(doc, &answer); err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	if answer.Error != nil {
		return fmt.Sprint(answer.Error.Code, " ", string(answer.ID))
	}
	return "ok " + string(answer.ID)
}

// chunks reads its text in pieces of random size.
type chunks struct {
	text []byte
	rand *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+c.rand.IntN(40))], c.text)
	c.text = c.text[n:]
	return n, nil
}

// serve answers every line of input before it reads the next one, and returns the lines of the
// output.
func serve(t *testing.T, input []byte, seed uint64, limit int) []string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		in := patient{&chunks{input, rand.New(rand.NewPCG(seed, 0))}}
		must.Do(t, (&Transport{In: in, Out: &out, MaxFrameBytes: limit, Handler: agreeable{newTaker()}}).Run(t.Context()))
	})
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// A patient client sends a line only when all effects of the previous one have happened. It
// lives in a synctest bubble.
type patient struct{ *chunks }

func (p patient) Read(b []byte) (int, error) {
	time.Sleep(time.Nanosecond)
	if end := bytes.IndexByte(p.text, '\n') + 1; end > 0 && end < len(b) {
		b = b[:end]
	}
	return p.chunks.Read(b)
}

// An agreeable server answers every call with the same result.
type agreeable struct{ *taker }

func (a agreeable) Answer(context.Context, *protocol.Call) (protocol.Result, error) {
	return &taken{taker: a.taker, Result: "{}"}, nil
}

// FuzzSession asserts: for any bytes in any pieces, the answers are
// the same as the model's, and a ping after them is answered.
func FuzzSession(f *testing.F) {
	call := ping("1")
	for _, seed := range []string{
		"", "\n", call, call + "\r\n" + call, "x\n{}\n[]\n", "[" + call + "," + call + ",1,[]]", initialize("2025-11-25"),
		"[" + strings.TrimSpace(initialize("2025-11-25")) + "]", `{"jsonrpc":"2.0","id":1,"result":{}}`, cancelled("1"),
		"[" + strings.TrimSpace(cancelled("1")) + "," + call + "]", `[{"jsonrpc":"2.0","method":"x"}]`,
		`[{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}]`,
		`{"jsonrpc":"2.0","id":1e2,"method":"subscriptions/listen"}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`,
		`{"jsonrpc":"2.0","id":-9223372036854775808,"method":"x"}`, `{"\u006asonrpc":"2.0","id":"\ud800","method":"x"}`,
		"\"\xff\"", strings.Repeat("[", 200), strings.Repeat(" ", 250), strings.Repeat(" ", 251), "\r\r\n",
		`{"jsonrpc":"2.0","id":1,"method":null,"result":1}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
	} {
		f.Add([]byte(seed), uint64(1))
	}
	const limit = 250
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		input = append(bytes.Clone(input), "\n"+ping(`"the end"`)+"\n"...)
		var got []string
		for _, line := range serve(t, input, seed, limit) {
			got = append(got, summary(t, []byte(line)))
		}
		want := model(input, limit)
		if !slices.Equal(got, want) {
			t.Errorf("input %q\ngot  %q\nwant %q", input, got, want)
		}
		if got[len(got)-1] != `ok "the end"` {
			t.Errorf("last answer is %q", got[len(got)-1])
		}
	})
}
