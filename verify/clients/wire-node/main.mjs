// Runs the echo service's cases with @grpc/grpc-js: see ../README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';

const SERVICE = '/nightjar.test.Echo/';
const PATIENCE_MILLIS = 30_000;
const MEBIBYTE = 1 << 20;
const bytes = (value) => value;

function connect(options = {}) {
  return new grpc.Client(target, grpc.credentials.createInsecure(), {
    'grpc.max_receive_message_length': 64 * MEBIBYTE,
    ...options,
  });
}

const target = process.argv[2];
const client = connect();
const deadline = () => ({ deadline: Date.now() + PATIENCE_MILLIS });

/** Calls a method once; resolves to the answer with headers and trailers. */
function unary(method, request, { via = client, metadata = new grpc.Metadata() } = {}) {
  return new Promise((resolve, reject) => {
    const seen = {};
    const path = method.startsWith('/') ? method : SERVICE + method;
    const call = via.makeUnaryRequest(
      path, bytes, bytes, Buffer.from(request), metadata, deadline(),
      (error, answer) => {
        seen.answer = answer;
        if (error) reject(error);
      });
    call.on('metadata', (headers) => { seen.headers = headers; });
    call.on('status', (status) => { seen.trailers = status.metadata; if (status.code === 0) resolve(seen); });
  });
}

const stream = (method, options = deadline()) =>
  client.makeBidiStreamRequest(SERVICE + method, bytes, bytes, new grpc.Metadata(), options);

/** Reads a stream to its end; throws its error. */
async function drain(call) {
  const texts = [];
  for await (const message of call) texts.push(message.toString());
  return texts;
}

function expect(got, want) {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`got ${JSON.stringify(got)?.slice(0, 200)}, want ${JSON.stringify(want)?.slice(0, 200)}`);
  }
}

async function expectStatus(outcome, code, text) {
  const error = await outcome.then(() => undefined, (e) => e);
  if (!error) throw new Error('no error');
  expect(error.code, code);
  if (text !== undefined) expect(error.details, text);
}

const cancels = async () => Number((await unary('Cancels', '')).answer.toString());

async function awaitCancels(before) {
  const end = Date.now() + PATIENCE_MILLIS;
  while (await cancels() <= before) {
    if (Date.now() > end) throw new Error('the service never saw the cancel');
    await pause(10);
  }
}

const cases = {
  async 'unary'() {
    expect((await unary('Unary', 'hello')).answer.toString(), 'hello');
  },
  async 'empty-message'() {
    expect((await unary('Unary', '')).answer.length, 0);
  },
  async 'client-stream'() {
    const call = stream('Collect');
    for (let i = 0; i < 1000; i++) call.write(Buffer.alloc(i));
    call.end();
    expect(await drain(call), ['1000 499500']);
  },
  async 'server-stream-slow-reader'() {
    const call = stream('Repeat');
    call.write(Buffer.from('2000 10000'));
    call.end();
    let i = 0;
    for await (const message of call) {
      expect([message.length, message.toString('latin1', 0, 5).split(' ')[0]], [10000, String(i)]);
      if (i++ < 50) await pause(10);
    }
    expect(i, 2000);
  },
  async 'bidi'() {
    const call = stream('Bidi');
    const answers = call[Symbol.asyncIterator]();
    for (let i = 0; i < 500; i++) {
      call.write(Buffer.from(`message ${i}`));
      expect((await answers.next()).value.toString(), `message ${i}`);
    }
    call.end();
    expect((await answers.next()).done, true);
  },
  async 'half-close-keeps-stream'() {
    const call = stream('Linger');
    call.write(Buffer.from('one'));
    call.end();
    expect(await drain(call), ['one', 'after 1', 'after 2', 'after 3']);
  },
  async 'cancel'() {
    const before = await cancels();
    const call = stream('Hang');
    await once(call, 'data');
    const end = drain(call);
    call.cancel();
    await expectStatus(end, grpc.status.CANCELLED);
    await awaitCancels(before);
  },
  async 'deadline'() {
    const before = await cancels();
    const call = stream('Hang', { deadline: Date.now() + 200 });
    await expectStatus(drain(call), grpc.status.DEADLINE_EXCEEDED);
    await awaitCancels(before);
  },
  async 'gzip'() {
    const via = connect({ 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });
    const request = 'compress me '.repeat(10000);
    expect((await unary('Unary', request, { via })).answer.toString(), request);
    via.close();
  },
  async 'metadata'() {
    const metadata = new grpc.Metadata();
    metadata.add('x-echo', 'one');
    metadata.add('x-echo', 'two');
    metadata.add('x-echo-bin', Buffer.from([0, 255, 10, 127, 37]));
    metadata.add('x-echo-bin', Buffer.from([1]));
    const { headers, trailers } = await unary('Metadata', 'x', { metadata });
    for (const got of [headers, trailers]) {
      expect(got.get('x-echo').join(', '), 'one, two');
      expect(got.get('x-echo-bin').map((value) => [...value]), [[0, 255, 10, 127, 37], [1]]);
    }
  },
  async 'percent-encoded-message'() {
    const text = '50% of ünïcode\n and "quotes" ☃ 😀';
    await expectStatus(unary('Fail', `9 ${text}`), grpc.status.FAILED_PRECONDITION, text);
  },
  async 'large-message'() {
    const request = Buffer.alloc(4 * MEBIBYTE);
    for (let i = 0; i < request.length; i++) request[i] = (i * 31) >> 3;
    expect((await unary('Unary', request)).answer.equals(request), true);
  },
  async 'parallel-calls'() {
    const requests = Array.from({ length: 100 }, (_, i) => Buffer.alloc(20000, i));
    const answers = await Promise.all(requests.map((request) => unary('Unary', request)));
    answers.forEach(({ answer }, i) => expect([i, answer.equals(requests[i])], [i, true]));
  },
  async 'unimplemented'() {
    await expectStatus(unary('Nothing', 'x'), grpc.status.UNIMPLEMENTED,
      'unknown method Nothing for service nightjar.test.Echo');
    await expectStatus(unary('/nightjar.test.Other/Unary', 'x'), grpc.status.UNIMPLEMENTED,
      'unknown service nightjar.test.Other');
  },
  async 'too-large-message'() {
    await expectStatus(unary('Unary', Buffer.alloc(6 * MEBIBYTE)), grpc.status.RESOURCE_EXHAUSTED,
      'grpc: received message larger than max (6291456 vs. 5242880)');
    await cases['unary']();
  },
  async 'killed-client'() {
    const before = await cancels();
    const victim = spawn(process.execPath, [process.argv[1], target, 'hang'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(victim.stdout, 'data');
    victim.kill('SIGKILL');
    await awaitCancels(before);
  },
};

function within(promise) {
  const end = new AbortController();
  const late = pause(PATIENCE_MILLIS, undefined, { signal: end.signal })
    .then(() => { throw new Error('took too long'); });
  late.catch(() => {});
  return Promise.race([promise, late]).finally(() => end.abort());
}

if (process.argv[3] === 'hang') {
  const call = client.makeBidiStreamRequest(SERVICE + 'Hang', bytes, bytes, new grpc.Metadata(), {});
  call.on('data', () => console.log('hanging'));
  call.on('error', () => process.exit(1));
} else {
  let failed = false;
  for (const [name, run] of Object.entries(cases)) {
    try {
      await within(run());
      console.log(`ok ${name}`);
    } catch (error) {
      failed = true;
      console.log(`FAIL ${name} ${error.message}`);
    }
  }
  process.exit(failed ? 1 : 0);
}
