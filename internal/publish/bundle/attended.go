package bundle

import (
	"context"
	"io"
)

// Attended returns a copy of the file whose Open and Read fail once ctx has ended. read, if not
// nil, is called with the number of bytes of each part that is read. Work on such a file can be
// interrupted: it is read in parts of at most a few hundred kilobytes.
func (f File) Attended(ctx context.Context, read func(n int)) File {
	open := f.Open
	f.Open = func() (io.ReadCloser, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &attended{r, ctx, read}, nil
	}
	return f
}

type attended struct {
	io.ReadCloser
	ctx  context.Context
	read func(n int)
}

func (a *attended) Read(b []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := a.ReadCloser.Read(b)
	if a.read != nil {
		a.read(n)
	}
	return n, err
}
