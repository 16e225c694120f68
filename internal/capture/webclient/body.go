package webclient

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// accepted is the value of Accept-Encoding.
const accepted = "gzip"

// usualBody is the number of bytes that the buffer of a body holds at first.
const usualBody = 16 << 10

// maxCodings is how many content codings a body may have.
const maxCodings = 2

// readBody reads a body and removes its content codings. It reads at most limit bytes of the encoded
// and of the decoded body; of a larger body it returns the beginning.
func readBody(header http.Header, from io.Reader, limit int64) (body []byte, whole bool, err error) {
	wire := &io.LimitedReader{R: from, N: limit + 1}
	var r io.Reader = wire
	codings := codingsOf(header)
	if len(codings) > maxCodings {
		return nil, false, fmt.Errorf("its body has %d content codings, which is too many", len(codings))
	}
	for i := len(codings) - 1; i >= 0; i-- { // the last was applied last (RFC 9110, 8.4)
		if r, err = decoded(r, codings[i]); err != nil {
			return nil, false, err
		}
	}
	var b bytes.Buffer
	b.Grow(int(min(limit, usualBody)) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(r, limit+1))
	body = b.Bytes()
	if int64(len(body)) > limit || wire.N <= 0 {
		return body[:min(int64(len(body)), limit)], false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("its body cannot be read: %w", reported(err))
	}
	return body, true, nil
}

func codingsOf(h http.Header) []string {
	var list []string
	for _, value := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "" && coding != "identity" {
				list = append(list, coding)
			}
		}
	}
	return list
}

func decoded(r io.Reader, coding string) (io.Reader, error) {
	if coding != "gzip" && coding != "x-gzip" {
		return nil, fmt.Errorf("its body has the content coding %q, which the request did not offer", coding)
	}
	z, err := gzip.NewReader(r)
	if err == io.EOF { // the body is empty
		return strings.NewReader(""), nil
	}
	if err != nil {
		return nil, fmt.Errorf("its body is not gzip, as it says: %w", err)
	}
	return z, nil
}
