package stdio

import (
	"bufio"
	"context"
	"io"
	"testing"
	"testing/synctest"
)

// The end of the input waits for the whole of an array, of which the last answer is encoded before
// a slow client has taken the rest.
func TestBatchEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		taker := newTaker()
		ss, err := newServer().Connect(context.Background(), &Transport{In: inR, Out: outW, Handler: taker}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(inW, "["+inBatch(take("1", `{"result":"{}"}`))+","+inBatch(take("2", `{"result":"{}"}`))+"]\n")
		inW.Close()
		synctest.Wait()
		got, err := io.ReadAll(outR)
		if want := "[" + pong("1") + "," + pong("2") + "]\n"; string(got) != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if err := ss.Wait(); err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
}

// What follows initialize without waiting for its answer comes after it, a notification as well.
func TestInitializedBehindInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		taker := newTaker()
		ss, err := newServer().Connect(context.Background(), &Transport{In: inR, Out: outW, Handler: taker}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(inW, initialize("2025-11-25")+initialized)
		synctest.Wait()
		if n := taker.hub.Counts().Streams; n != 0 {
			t.Errorf("the session is notified before initialize is answered")
		}
		scan := bufio.NewScanner(outR)
		if !scan.Scan() {
			t.Error("no answer")
		}
		synctest.Wait()
		if n := taker.hub.Counts().Streams; n != 1 {
			t.Errorf("%d sessions are notified, want 1", n)
		}
		inW.Close()
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		if err := ss.Wait(); err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
}
