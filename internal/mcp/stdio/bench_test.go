package stdio

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkRoundTrip measures a call from the client's write to the end
// of the answer, compared with a server of the SDK on its own transport.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"2KB", 2 << 10}, {"1MiB", 1 << 20}} {
		b.Run(size.name+"/stdio", func(b *testing.B) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			t := &Transport{In: inR, Out: outW, Handler: newTaker()}
			benchmarkCalls(b, t.Run, inW, outR, take("1", `{"fill":`+strconv.Itoa(size.bytes)+`}`), size.bytes)
		})
		b.Run(size.name+"/sdk", func(b *testing.B) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			serve := func(ctx context.Context) error {
				return newSDKServer().Run(ctx, &mcp.IOTransport{Reader: inR, Writer: outW})
			}
			call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"fill":` + strconv.Itoa(size.bytes) + "}}}\n"
			benchmarkCalls(b, serve, inW, outR, call, size.bytes)
		})
	}
}

func benchmarkCalls(b *testing.B, serve func(context.Context) error, in *io.PipeWriter, from io.Reader, call string, atLeast int) {
	ended := make(chan error, 1)
	go func() { ended <- serve(b.Context()) }()
	out := bufio.NewReaderSize(from, 4<<20)
	ask := func(call string) int {
		if _, err := io.WriteString(in, call); err != nil {
			b.Fatal(err)
		}
		answer, err := out.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		return len(answer)
	}
	ask(helloSDK("2025-11-25"))
	if _, err := io.WriteString(in, initialized); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if n := ask(call); n < atLeast {
			b.Fatalf("an answer of %d bytes", n)
		}
	}
	b.StopTimer()
	in.Close()
	<-ended
}
