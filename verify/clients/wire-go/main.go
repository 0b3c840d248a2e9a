// Runs the echo service's cases with grpc-go: see ../README.md.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	service  = "/nightjar.test.Echo/"
	patience = 30 * time.Second
	mebibyte = 1 << 20
)

// rawCodec sends bytes as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = bytes.Clone(data)
	return nil
}

func (rawCodec) Name() string { return "proto" }

type client struct {
	conn   *grpc.ClientConn
	target string
}

func dial(target string) (*client, error) {
	conn, err := grpc.NewClient("passthrough:///"+target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallRecvMsgSize(64*mebibyte)))
	return &client{conn, target}, err
}

func (c *client) unary(ctx context.Context, method string, request []byte, opts ...grpc.CallOption) ([]byte, error) {
	var answer []byte
	err := c.conn.Invoke(ctx, service+method, &request, &answer, opts...)
	return answer, err
}

func (c *client) stream(ctx context.Context, method string) (grpc.ClientStream, error) {
	desc := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	return c.conn.NewStream(ctx, desc, service+method)
}

func send(s grpc.ClientStream, message []byte) error { return s.SendMsg(&message) }

func recv(s grpc.ClientStream) ([]byte, error) {
	var message []byte
	err := s.RecvMsg(&message)
	return message, err
}

func expect(got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("got %.200q, want %.200q", fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

func expectStatus(err error, code codes.Code, text string) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return fmt.Errorf("got %v, want a status", err)
	}
	if s.Code() != code || (text != "" && s.Message() != text) {
		return fmt.Errorf("got %v %q, want %v %q", s.Code(), s.Message(), code, text)
	}
	return nil
}

func (c *client) cancels(ctx context.Context) (int, error) {
	answer, err := c.unary(ctx, "Cancels", nil)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(answer))
}

// awaitCancels waits until the service has seen more cancelled calls than before.
func (c *client) awaitCancels(ctx context.Context, before int) error {
	for {
		now, err := c.cancels(ctx)
		if err != nil || now > before {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// drain reads a stream to its end.
func drain(s grpc.ClientStream) ([]string, error) {
	var texts []string
	for {
		message, err := recv(s)
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return texts, err
		}
		texts = append(texts, string(message))
	}
}

func unary(ctx context.Context, c *client) error {
	answer, err := c.unary(ctx, "Unary", []byte("hello"))
	if err != nil {
		return err
	}
	return expect(string(answer), "hello")
}

func emptyMessage(ctx context.Context, c *client) error {
	answer, err := c.unary(ctx, "Unary", nil)
	if err != nil {
		return err
	}
	return expect(len(answer), 0)
}

func clientStream(ctx context.Context, c *client) error {
	s, err := c.stream(ctx, "Collect")
	if err != nil {
		return err
	}
	for i := range 1000 {
		if err := send(s, make([]byte, i)); err != nil {
			return err
		}
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	texts, err := drain(s)
	if err != nil {
		return err
	}
	return expect(texts, []string{"1000 499500"})
}

func serverStreamSlowReader(ctx context.Context, c *client) error {
	s, err := c.stream(ctx, "Repeat")
	if err != nil {
		return err
	}
	if err := send(s, []byte("2000 10000")); err != nil {
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	for i := range 2000 {
		message, err := recv(s)
		if err != nil {
			return err
		}
		if len(message) != 10000 || !strings.HasPrefix(string(message), fmt.Sprintf("%d ", i)) {
			return fmt.Errorf("message %d is %d bytes, %.10q", i, len(message), message)
		}
		if i < 50 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	_, err = recv(s)
	return expect(err, io.EOF)
}

func bidi(ctx context.Context, c *client) error {
	s, err := c.stream(ctx, "Bidi")
	if err != nil {
		return err
	}
	for i := range 500 {
		text := fmt.Sprintf("message %d", i)
		if err := send(s, []byte(text)); err != nil {
			return err
		}
		message, err := recv(s)
		if err != nil {
			return err
		}
		if err := expect(string(message), text); err != nil {
			return err
		}
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	_, err = recv(s)
	return expect(err, io.EOF)
}

func halfClose(ctx context.Context, c *client) error {
	s, err := c.stream(ctx, "Linger")
	if err != nil {
		return err
	}
	if err := send(s, []byte("one")); err != nil {
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	texts, err := drain(s)
	if err != nil {
		return err
	}
	return expect(texts, []string{"one", "after 1", "after 2", "after 3"})
}

func cancel(ctx context.Context, c *client) error {
	before, err := c.cancels(ctx)
	if err != nil {
		return err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s, err := c.stream(inner, "Hang")
	if err != nil {
		return err
	}
	if message, err := recv(s); err != nil || string(message) != "begun" {
		return fmt.Errorf("%q %v", message, err)
	}
	stop()
	_, err = recv(s)
	if err := expectStatus(err, codes.Canceled, ""); err != nil {
		return err
	}
	return c.awaitCancels(ctx, before)
}

func deadline(ctx context.Context, c *client) error {
	before, err := c.cancels(ctx)
	if err != nil {
		return err
	}
	inner, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	s, err := c.stream(inner, "Hang")
	if err != nil {
		return err
	}
	_, err = drain(s)
	if err := expectStatus(err, codes.DeadlineExceeded, ""); err != nil {
		return err
	}
	return c.awaitCancels(ctx, before)
}

func gzipBothWays(ctx context.Context, c *client) error {
	request := bytes.Repeat([]byte("compress me "), 10000)
	answer, err := c.unary(ctx, "Unary", request, grpc.UseCompressor("gzip"))
	if err != nil {
		return err
	}
	if !bytes.Equal(answer, request) {
		return fmt.Errorf("answer of %d bytes differs", len(answer))
	}
	return nil
}

func metadataBothKinds(ctx context.Context, c *client) error {
	raw := string([]byte{0, 255, 10, 127, '%'})
	sent := metadata.Pairs("x-echo", "one", "x-echo", "two", "x-echo-bin", raw, "x-echo-bin", "")
	var headers, trailers metadata.MD
	_, err := c.unary(metadata.NewOutgoingContext(ctx, sent), "Metadata", []byte("x"),
		grpc.Header(&headers), grpc.Trailer(&trailers))
	if err != nil {
		return err
	}
	for _, got := range []metadata.MD{headers, trailers} {
		for _, key := range []string{"x-echo", "x-echo-bin"} {
			if err := expect(got.Get(key), sent.Get(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

func percentEncoded(ctx context.Context, c *client) error {
	text := "50% of ünïcode\n and \"quotes\" ☃ 😀"
	_, err := c.unary(ctx, "Fail", []byte("9 "+text))
	return expectStatus(err, codes.FailedPrecondition, text)
}

func large(ctx context.Context, c *client) error {
	request := make([]byte, 4*mebibyte)
	for i := range request {
		request[i] = byte(i * 31 >> 3)
	}
	answer, err := c.unary(ctx, "Unary", request)
	if err != nil {
		return err
	}
	if !bytes.Equal(answer, request) {
		return fmt.Errorf("answer of %d bytes differs", len(answer))
	}
	return nil
}

func parallel(ctx context.Context, c *client) error {
	failures := make(chan error, 100)
	var calls sync.WaitGroup
	for i := range 100 {
		calls.Go(func() {
			request := bytes.Repeat([]byte{byte(i)}, 20000)
			answer, err := c.unary(ctx, "Unary", request)
			if err == nil && !bytes.Equal(answer, request) {
				err = fmt.Errorf("call %d got another's answer", i)
			}
			if err != nil {
				failures <- err
			}
		})
	}
	calls.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func unimplemented(ctx context.Context, c *client) error {
	_, err := c.unary(ctx, "Nothing", []byte("x"))
	if err := expectStatus(err, codes.Unimplemented, "unknown method Nothing for service nightjar.test.Echo"); err != nil {
		return err
	}
	var request, answer []byte
	err = c.conn.Invoke(ctx, "/nightjar.test.Other/Unary", &request, &answer)
	return expectStatus(err, codes.Unimplemented, "unknown service nightjar.test.Other")
}

func tooLarge(ctx context.Context, c *client) error {
	_, err := c.unary(ctx, "Unary", make([]byte, 6*mebibyte))
	if err := expectStatus(err, codes.ResourceExhausted,
		"grpc: received message larger than max (6291456 vs. 5242880)"); err != nil {
		return err
	}
	return unary(ctx, c)
}

func killedClient(ctx context.Context, c *client) error {
	before, err := c.cancels(ctx)
	if err != nil {
		return err
	}
	victim := exec.CommandContext(ctx, os.Args[0], c.target, "hang")
	out, err := victim.StdoutPipe()
	if err != nil {
		return err
	}
	if err := victim.Start(); err != nil {
		return err
	}
	word := make([]byte, len("hanging"))
	if _, err := io.ReadFull(out, word); err != nil {
		return err
	}
	if err := victim.Process.Kill(); err != nil {
		return err
	}
	_ = victim.Wait() // it was killed, as it should
	return c.awaitCancels(ctx, before)
}

func hang(c *client) error {
	s, err := c.stream(context.Background(), "Hang")
	if err != nil {
		return err
	}
	if _, err := recv(s); err != nil {
		return err
	}
	fmt.Println("hanging")
	_, err = recv(s)
	return err
}

func main() {
	c, err := dial(os.Args[1])
	if err != nil {
		fmt.Println("FAIL dial", err)
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		fmt.Println(hang(c))
		os.Exit(1)
	}
	cases := []struct {
		name string
		run  func(context.Context, *client) error
	}{
		{"unary", unary},
		{"empty-message", emptyMessage},
		{"client-stream", clientStream},
		{"server-stream-slow-reader", serverStreamSlowReader},
		{"bidi", bidi},
		{"half-close-keeps-stream", halfClose},
		{"cancel", cancel},
		{"deadline", deadline},
		{"gzip", gzipBothWays},
		{"metadata", metadataBothKinds},
		{"percent-encoded-message", percentEncoded},
		{"large-message", large},
		{"parallel-calls", parallel},
		{"unimplemented", unimplemented},
		{"too-large-message", tooLarge},
		{"killed-client", killedClient},
	}
	failed := false
	for _, each := range cases {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		err := each.run(ctx, c)
		stop()
		if err != nil {
			failed = true
			fmt.Printf("FAIL %s %v\n", each.name, err)
		} else {
			fmt.Printf("ok %s\n", each.name)
		}
	}
	if failed {
		os.Exit(1)
	}
}
