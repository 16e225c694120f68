package browser

import (
	"bufio"
	"errors"
	"os"
)

// A pipe carries messages to and from a browser with --remote-debugging-pipe: two pipes, in which each message ends with a
// zero byte. Other programs cannot connect to it, unlike to a port. The browser ends when the pipe is closed, so it
// ends with this program.
type pipe struct {
	in  *os.File
	out *os.File
	r   *bufio.Reader
}

func newPipe(in, out *os.File) *pipe { return &pipe{in, out, bufio.NewReaderSize(in, 64<<10)} }

// read returns the next message. If it is longer than maxMessage, whole is false and message is its beginning.
func (p *pipe) read() (message []byte, whole bool, err error) {
	whole = true
	for {
		part, err := p.r.ReadSlice(0)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err
		}
		if whole = whole && len(message)+len(part) <= maxMessage; whole || len(message) == 0 {
			message = append(message, part...)
		} else if len(message) > 1<<10 {
			message = append([]byte(nil), message[:1<<10]...)
		}
		if err == nil {
			return message[:max(0, len(message)-1)], whole, nil
		}
	}
}

func (p *pipe) write(message []byte) error {
	_, err := p.out.Write(append(message[:len(message):len(message)], 0))
	return err
}

func (p *pipe) close() error { return errors.Join(p.in.Close(), p.out.Close()) }
