"""Runs the echo service's cases with grpcio: see ../README.md."""

import os
import subprocess
import sys
import time

import grpc

SERVICE = "/nightjar.test.Echo/"
PATIENCE_SECONDS = 30
MEBIBYTE = 1 << 20
OPTIONS = [
    ("grpc.max_receive_message_length", 64 * MEBIBYTE),
    ("grpc.max_send_message_length", 64 * MEBIBYTE),
]

target = sys.argv[1]
channel = grpc.insecure_channel(target, options=OPTIONS)


def unary(method, request, **more):
    path = method if method.startswith("/") else SERVICE + method
    return channel.unary_unary(path)(request, timeout=PATIENCE_SECONDS, **more)


def stream(method, requests, timeout=PATIENCE_SECONDS):
    return channel.stream_stream(SERVICE + method)(iter(requests), timeout=timeout)


def open_stream(method, timeout=PATIENCE_SECONDS):
    """A stream whose request side stays open."""

    def requests():
        while call_box and call_box[0].is_active():
            time.sleep(0.05)
        yield from ()

    call_box = []
    call = channel.stream_stream(SERVICE + method)(requests(), timeout=timeout)
    call_box.append(call)
    return call


def expect(got, want):
    assert got == want, f"got {repr(got)[:200]}, want {repr(want)[:200]}"


def expect_status(action, code, text=None):
    try:
        action()
    except grpc.RpcError as error:
        expect(error.code(), code)
        if text is not None:
            expect(error.details(), text)
        return
    raise AssertionError("no error")


def cancels():
    return int(unary("Cancels", b""))


def await_cancels(before):
    end = time.monotonic() + PATIENCE_SECONDS
    while cancels() <= before:
        assert time.monotonic() < end, "the service never saw the cancel"
        time.sleep(0.01)


def case_unary():
    expect(unary("Unary", b"hello"), b"hello")


def case_empty_message():
    expect(unary("Unary", b""), b"")


def case_client_stream():
    answer = channel.stream_unary(SERVICE + "Collect")(
        (bytes(i) for i in range(1000)), timeout=PATIENCE_SECONDS
    )
    expect(answer, b"1000 499500")


def case_server_stream_slow_reader():
    count = 0
    for message in channel.unary_stream(SERVICE + "Repeat")(b"2000 10000", timeout=PATIENCE_SECONDS):
        expect((len(message), message.split(b" ")[0]), (10000, str(count).encode()))
        count += 1
        if count < 50:
            time.sleep(0.01)
    expect(count, 2000)


def case_bidi():
    sent = [f"message {i}".encode() for i in range(500)]
    expect(list(stream("Bidi", sent)), sent)


def case_half_close_keeps_stream():
    expect(list(stream("Linger", [b"one"])), [b"one", b"after 1", b"after 2", b"after 3"])


def case_cancel():
    before = cancels()
    call = open_stream("Hang")
    expect(next(call), b"begun")
    call.cancel()
    expect_status(lambda: next(call), grpc.StatusCode.CANCELLED)
    await_cancels(before)


def case_deadline():
    before = cancels()
    call = open_stream("Hang", timeout=0.2)
    expect_status(lambda: list(call), grpc.StatusCode.DEADLINE_EXCEEDED)
    await_cancels(before)


def case_gzip():
    request = b"compress me " * 10000
    expect(unary("Unary", request, compression=grpc.Compression.Gzip), request)


def case_metadata():
    sent = [
        ("x-echo", "one"),
        ("x-echo", "two"),
        ("x-echo-bin", bytes([0, 255, 10, 127, 37])),
        ("x-echo-bin", b"\x01"),
    ]
    call = channel.unary_unary(SERVICE + "Metadata")
    _, outcome = call.with_call(b"x", timeout=PATIENCE_SECONDS, metadata=sent)
    for got in (outcome.initial_metadata(), outcome.trailing_metadata()):
        echoed = [(key, value) for key, value in got if key.startswith("x-echo")]
        expect(sorted(map(repr, echoed)), sorted(map(repr, sent)))


def case_percent_encoded_message():
    text = '50% of ünïcode\n and "quotes" ☃ 😀'
    expect_status(
        lambda: unary("Fail", f"9 {text}".encode()), grpc.StatusCode.FAILED_PRECONDITION, text
    )


def case_large_message():
    request = bytes((i * 31 >> 3) & 255 for i in range(4 * MEBIBYTE))
    expect(unary("Unary", request) == request, True)


def case_parallel_calls():
    requests = [bytes([i]) * 20000 for i in range(100)]
    call = channel.unary_unary(SERVICE + "Unary")
    futures = [call.future(request, timeout=PATIENCE_SECONDS) for request in requests]
    for i, future in enumerate(futures):
        expect((i, future.result() == requests[i]), (i, True))


def case_unimplemented():
    expect_status(
        lambda: unary("Nothing", b"x"),
        grpc.StatusCode.UNIMPLEMENTED,
        "unknown method Nothing for service nightjar.test.Echo",
    )
    expect_status(
        lambda: unary("/nightjar.test.Other/Unary", b"x"),
        grpc.StatusCode.UNIMPLEMENTED,
        "unknown service nightjar.test.Other",
    )


def case_too_large_message():
    expect_status(
        lambda: unary("Unary", bytes(6 * MEBIBYTE)),
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "grpc: received message larger than max (6291456 vs. 5242880)",
    )
    case_unary()


def case_killed_client():
    before = cancels()
    with subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), target, "hang"], stdout=subprocess.PIPE
    ) as victim:
        expect(victim.stdout.readline(), b"hanging\n")
        victim.kill()
    await_cancels(before)


def hang():
    call = open_stream("Hang", timeout=None)
    next(call)
    print("hanging", flush=True)
    next(call)


def main():
    failed = False
    for name, case in list(globals().items()):
        if not name.startswith("case_"):
            continue
        label = name.removeprefix("case_").replace("_", "-")
        try:
            case()
            print(f"ok {label}", flush=True)
        except (AssertionError, grpc.RpcError, StopIteration) as error:
            failed = True
            reason = " ".join(str(error).split())
            print(f"FAIL {label} {type(error).__name__} {reason}", flush=True)
    sys.exit(1 if failed else 0)


if len(sys.argv) > 2:
    hang()
else:
    main()
