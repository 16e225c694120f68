package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// unreadCalls is how many answers wait for a client that does not read.
	unreadCalls = 32
	// unreadEntries is how many reads of 1 MiB a batch has: the server allows 10 MiB in one answer.
	unreadEntries = 9
	// unreadTime is how long the client does not read: long enough for the server to make all answers.
	unreadTime = 5 * time.Second
)

// unreadPrompts measures the memory of a server whose client requests prompts and does not read the
// answers. Then it reads and checks all answers.
func (b *bench) unreadPrompts(c command) (float64, error) {
	return b.with(c, func(s *session) (float64, error) {
		if err := b.fullList(s); err != nil {
			return 0, err
		}
		for range unreadCalls {
			if _, err := s.send("prompts/get", `{"name":"embed"}`); err != nil {
				return 0, err
			}
		}
		time.Sleep(unreadTime)
		for range unreadCalls {
			_, line, err := s.receive()
			if err != nil {
				return 0, err
			}
			var answer struct {
				Result struct {
					Messages []struct {
						Content struct{ Resource struct{ Text string } }
					}
				}
			}
			if err := json.Unmarshal(line, &answer); err != nil {
				return 0, err
			}
			if m := answer.Result.Messages; len(m) != 1 || m[0].Content.Resource.Text != string(b.project.large.data) {
				return 0, fmt.Errorf("a prompt is answered with %.200s", line)
			}
		}
		return s.peak()
	})
}

// unreadBatch measures the memory of a server whose client requests files in one batch and does not
// read the answer. 2025-03-26 is the last protocol version with batches.
func (b *bench) unreadBatch(c command) (float64, error) {
	return b.in(c, "2025-03-26", func(s *session) (float64, error) {
		if err := b.fullList(s); err != nil {
			return 0, err
		}
		calls := make([]string, unreadEntries)
		for i := range calls {
			calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":%s}`, 1000+i, readParams(b.project.text))
		}
		if _, err := io.WriteString(s.in, "["+strings.Join(calls, ",")+"]\n"); err != nil {
			return 0, err
		}
		time.Sleep(unreadTime)
		// The line is too long to be held.
		answers := json.NewDecoder(s.out)
		if start, err := answers.Token(); err != nil || start != json.Delim('[') {
			return 0, errors.Join(fmt.Errorf("a batch is answered with %v", start), err)
		}
		n := 0
		for ; answers.More(); n++ {
			var answer json.RawMessage
			if err := answers.Decode(&answer); err != nil {
				return 0, err
			}
			if err := check(answer, b.project.text); err != nil {
				return 0, err
			}
		}
		if n != unreadEntries {
			return 0, fmt.Errorf("a batch of %d calls has %d answers", unreadEntries, n)
		}
		return s.peak()
	})
}
