"""Plays the client scenario with aetcd: prints "ok NAME" or "FAIL NAME reason" for each step and exits with 1 if one
failed. The endpoint (host:port) is the first argument. It expects an empty store of its own."""

import asyncio
import sys

import aetcd
from aetcd import rpc

HOST, PORT = sys.argv[1].rsplit(":", 1)


def want(got, expected):
    if got != expected:
        raise AssertionError(f"got {got!r}, expected {expected!r}")


def pairs(kvs):
    return [(kv.key, kv.value) for kv in kvs]


async def fails(call, text):
    """The call must fail with exactly this message of the server."""
    try:
        await call
    except aetcd.exceptions.ClientError as error:
        want(str(error), text)
    except rpc.AioRpcError as error:
        want(error.details(), text)
    else:
        raise AssertionError(f"no error, expected {text!r}")


async def put(client, key, value):
    return (await client.put(key, value)).header.revision


async def collect(watch, count):
    """The next events of a watch, as (kind, key, value, previous value)."""
    events = []
    async for event in watch:
        previous = event.prev_kv.value if event.prev_kv is not None and event.prev_kv.key else None
        events.append((event.kind, event.kv.key, event.kv.value, previous))
        if len(events) == count:
            return events


async def put_get(client):
    revision = await put(client, b"put/a", b"1")
    second = await client.put(b"put/a", b"2", prev_kv=True)
    got = await client.get(b"put/a")
    want(second.prev_kv.value, b"1")
    want((got.value, got.create_revision, got.mod_revision, got.version), (b"2", revision, revision + 1, 2))
    want(await client.get(b"put/none"), None)


async def get_options(client):
    await put(client, b"get/c", b"1")
    await put(client, b"get/a", b"3")
    past = await put(client, b"get/b", b"2")
    await put(client, b"get/b", b"4")
    a, b, c = (b"get/a", b"3"), (b"get/b", b"4"), (b"get/c", b"1")
    want(pairs(await client.get_prefix(b"get/")), [a, b, c])
    want(pairs(await client.get_prefix(b"get/", sort_order="descend", sort_target="key")), [c, b, a])
    want(pairs(await client.get_prefix(b"get/", sort_order="ascend", sort_target="value")), [c, a, b])
    want(pairs(await client.get_prefix(b"get/", keys_only=True)), [(b"get/a", b""), (b"get/b", b""), (b"get/c", b"")])
    want(pairs(await client.get_range(b"get/b", b"get/z")), [b, c])
    # What the client has no option for is asked of its stub.
    request = rpc.RangeRequest(key=b"get/", range_end=b"get0", limit=2, revision=past)
    response = await client.kvstub.Range(request)
    want(pairs(response.kvs), [a, (b"get/b", b"2")])
    want((response.more, response.count), (True, 3))


async def delete(client):
    for key in (b"del/a", b"del/b", b"del/c"):
        await put(client, key, key)
    one = await client.delete(b"del/b", prev_kv=True)
    want(one.prev_kv.value, b"del/b")
    rest = await client.delete_prefix(b"del/")
    want(rest.deleted, 2)
    none = await client.delete_prefix(b"del/")
    want((none.deleted, none.header.revision), (0, rest.header.revision))


async def txn(client):
    await put(client, b"txn/a", b"1")
    t = client.transactions

    def transact():
        return client.transaction(
            compare=[t.value(b"txn/a") == b"1"],
            success=[t.put(b"txn/a", b"2"), t.get(b"txn/a")],
            failure=[t.get(b"txn/a")],
        )

    yes, done = await transact()
    no, seen = await transact()
    want((yes, no), (True, False))
    want([done[1][0][0], seen[0][0][0]], [b"2", b"2"])
    twice = client.transaction(compare=[], success=[t.put(b"txn/b", b"1"), t.put(b"txn/b", b"2")], failure=[])
    await fails(twice, "etcdserver: duplicate key given in txn request")


async def watch_now(client):
    await put(client, b"now/a", b"old")
    watch = await client.watch(b"now/a")
    await put(client, b"now/a", b"new")
    await put(client, b"now/b", b"other")
    await client.delete(b"now/a")
    want(await collect(watch, 2), [("PUT", b"now/a", b"new", None), ("DELETE", b"now/a", b"", None)])
    await watch.cancel()


async def watch_revision(client):
    await put(client, b"rev/a", b"1")
    start = await put(client, b"rev/a", b"2")
    await put(client, b"rev/a", b"3")
    watch = await client.watch(b"rev/a", start_revision=start)
    want(await collect(watch, 2), [("PUT", b"rev/a", b"2", None), ("PUT", b"rev/a", b"3", None)])
    await put(client, b"rev/a", b"4")
    want(await collect(watch, 1), [("PUT", b"rev/a", b"4", None)])
    await watch.cancel()


async def watch_prefix(client):
    start = await put(client, b"pre/a", b"1")
    await put(client, b"prf", b"2")
    await put(client, b"pre/c", b"3")
    watch = await client.watch_prefix(b"pre/", start_revision=start)
    want(await collect(watch, 2), [("PUT", b"pre/a", b"1", None), ("PUT", b"pre/c", b"3", None)])
    await watch.cancel()


async def watch_prev_kv(client):
    start = await put(client, b"prev/a", b"1")
    await put(client, b"prev/a", b"2")
    await client.delete(b"prev/a")
    watch = await client.watch(b"prev/a", start_revision=start, prev_kv=True)
    want(
        await collect(watch, 3),
        [("PUT", b"prev/a", b"1", None), ("PUT", b"prev/a", b"2", b"1"), ("DELETE", b"prev/a", b"", b"2")],
    )
    await watch.cancel()


async def watch_cancel(client):
    gone = await client.watch(b"cancel/a")
    stays = await client.watch(b"cancel/a")
    await gone.cancel()
    await put(client, b"cancel/a", b"1")
    want(await collect(stays, 1), [("PUT", b"cancel/a", b"1", None)])
    await stays.cancel()


async def compaction(client):
    old = await put(client, b"compact/a", b"1")
    now = await put(client, b"compact/a", b"2")
    await client.compact(now, physical=True)
    await fails(client.compact(now), "etcdserver: mvcc: required revision has been compacted")
    await fails(client.compact(now + 1), "etcdserver: mvcc: required revision is a future revision")
    request = rpc.RangeRequest(key=b"compact/a", revision=old)
    await fails(client.kvstub.Range(request), "etcdserver: mvcc: required revision has been compacted")
    watch = await client.watch(b"compact/a", start_revision=old)
    try:
        await collect(watch, 1)
    except aetcd.exceptions.RevisionCompactedError as error:
        want(error.compacted_revision, now)
    else:
        raise AssertionError("the watch was not ended")


async def status(client):
    answer = await client.status()
    members = [member async for member in client.members()]
    want(len(members), 1)
    want(answer.leader.id, members[0].id)


STEPS = {
    "put-get": put_get,
    "get-options": get_options,
    "delete": delete,
    "txn": txn,
    "watch-now": watch_now,
    "watch-revision": watch_revision,
    "watch-prefix": watch_prefix,
    "watch-prev-kv": watch_prev_kv,
    "watch-cancel": watch_cancel,
    "compaction": compaction,
    "status": status,
}


async def main():
    failed = False
    for name, step in STEPS.items():
        try:
            async with aetcd.Client(host=HOST, port=int(PORT), timeout=10) as client:
                await asyncio.wait_for(step(client), 20)
            print("ok", name)
        except Exception as error:  # every failure is a line of the report
            failed = True
            print("FAIL", name, type(error).__name__, str(error).replace("\n", " "))
    sys.exit(1 if failed else 0)


asyncio.run(main())
