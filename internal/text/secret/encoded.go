package secret

import (
	"bytes"
	"encoding/base64"

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

const inBase64 = ", in base64"

// encodedRule finds private keys in base64, as in Secrets of Kubernetes and variables of CI systems. The marks are the
// beginnings of a key in PEM and of sequences in ASN.1.
func encodedRule() rule {
	return rule{
		marks: []string{"LS0tLS1CRUdJTi", "MII", "MIG", "MIH", "MIA", "MIM", "MHcCAQEE", "MHQCAQEE", "MC4CAQAw"},
		exact: true, before: reach / 2, after: reach / 2,
		find: func(text []byte, mark int) (string, int, int) {
			if mark > 0 && isBase64(text[mark-1]) {
				return "", 0, 0
			}
			data, end := decode(text[mark:])
			what := ofKeyFile(data)
			if i := pemMark().FindIndex(data); what == "" && i != nil {
				what, _, _ = findPEM(data, i[0])
			}
			switch {
			case what == "":
				return "", 0, 0
			case forExample(text, data):
				return "", mark, mark + end
			}
			return what + inBase64, mark, mark + end
		},
	}
}

// decode decodes the valid part of the base64 at the start of a text. end is the offset of its end.
func decode(text []byte) (data []byte, end int) {
	encoded, end := gather(text)
	data = make([]byte, base64.RawStdEncoding.DecodedLen(len(encoded)))
	n, _ := base64.RawStdEncoding.Decode(data, encoded)
	return data[:n], end
}

func isBase64(b byte) bool { return isAlphanumeric(b) || b == '+' || b == '/' }

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// gather returns the base64 at the start of a text and the offset of its end. It removes spaces and line breaks.
func gather(text []byte) (encoded []byte, end int) {
	for i, b := range text {
		switch {
		case isBase64(b):
			encoded = append(encoded, b)
		case !isSpace(b):
			return encoded, i
		}
	}
	return encoded, len(text)
}

// encodedLine matches a line of base64 to its end. moreBase64 matches what follows if the base64 goes on in another way, such as in
// strings of a program or in quoted lines.
var (
	encodedLine = lazyregexp.New(`^[ \t]*([A-Za-z0-9+/]+)=*(?:["'\x60]|[ \t\r]*(?:\n|$))`)
	moreBase64  = lazyregexp.New(`^(?:\\|[^A-Za-z0-9]{0,100}[A-Za-z0-9+/]{20})`)
)

// encodedEnd returns the end of the base64 at the start of a text, in lines of one length of which the last may be shorter, or -1 if
// it is written in another way.
func encodedEnd(text []byte) int {
	end, length := 0, 0
	for {
		line := encodedLine().FindSubmatchIndex(text[end:])
		if line == nil || end > 0 && line[3]-line[2] > length {
			break
		}
		shorter := end > 0 && line[3]-line[2] < length
		length = line[3] - line[2]
		end += line[1]
		if shorter || text[end-1] != '\n' {
			break
		}
	}
	if end > 0 && text[end-1] == '\n' {
		end = len(bytes.TrimRight(text[:end], " \t\r\n"))
	}
	if end == 0 || moreBase64().Match(text[end:]) {
		return -1
	}
	return end
}
