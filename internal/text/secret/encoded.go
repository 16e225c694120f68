package secret

import (
	"bytes"
	"encoding/base64"
)

// encodedRule finds private keys in base64, as in Secrets of Kubernetes and variables of CI systems. The marks are the
// beginnings of a key in PEM and of sequences in ASN.1.
func encodedRule() rule {
	return rule{
		marks: []string{"LS0tLS1CRUdJTi", "MII", "MIG", "MIH", "MIA", "MIM", "MHcCAQEE", "MHQCAQEE", "MC4CAQAw"},
		exact: true, before: reach / 2, after: reach / 2,
		find: func(text []byte, mark int) (string, int, int) {
			if mark > 0 && isBase64(text[mark-1]) && !(mark > 1 && text[mark-2] == '\\') {
				return "", 0, 0
			}
			data, _ := decode(text[mark:], maxHead)
			if !beginsKey(data) { // a text can have a mark every four bytes
				return "", 0, 0
			}
			data, end := decode(text[mark:], sizeOf(data))
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
			return what + ", in base64", mark, mark + end
		},
	}
}

// maxHead is how many bytes of a key are decoded to see whether it can be one.
const maxHead = 30

// sizeOf returns the size of the sequence of ASN.1 that data begins with, or of the most that a rule reads.
func sizeOf(data []byte) int {
	if data[0] != 0x30 || data[1] == 0x80 || data[1] > 0x83 {
		return reach
	}
	size := int(data[1])
	if size > 0x80 {
		count := size - 0x80
		size = 0
		for _, b := range data[2 : 2+count] {
			size = size<<8 | int(b)
		}
		size += count
	}
	return min(size+2, reach)
}

// beginsKey reports whether a key can begin with data: with PEM, or with a sequence of ASN.1 that [ofKeyFile] reads, whose first
// element is a version or a sequence.
func beginsKey(data []byte) bool {
	inner := contents(data)
	return bytes.HasPrefix(data, pemBegin[:8]) || len(inner) > 2 && (inner[0] == 0x02 && inner[1] == 1 || inner[0] == 0x30)
}

// decode decodes the valid part of the base64 at the start of a text, at most about most bytes. end is the offset of its end.
func decode(text []byte, most int) (data []byte, end int) {
	encoded, end := gather(text, base64.StdEncoding.EncodedLen(most))
	data = make([]byte, base64.RawStdEncoding.DecodedLen(len(encoded)))
	n, _ := base64.RawStdEncoding.Decode(data, encoded)
	return data[:n], end
}

func isBase64(b byte) bool { return isAlphanumeric(b) || b == '+' || b == '/' }

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// gather returns at most most bytes of the base64 at the start of a text, and the offset of its end. It removes spaces and
// line breaks, also escaped ones as in strings of programs.
func gather(text []byte, most int) (encoded []byte, end int) {
	for i := 0; i < len(text); i++ {
		if len(encoded) == most {
			return encoded, i
		}
		switch b := text[i]; {
		case isBase64(b):
			encoded = append(encoded, b)
		case b == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r'):
			i++
		case !isSpace(b):
			return encoded, i
		}
	}
	return encoded, len(text)
}
