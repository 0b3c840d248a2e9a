// Plays the client scenario with the npm package etcd3: prints "ok NAME" or "FAIL NAME reason" for each step and exits with
// 1 if one failed. The endpoint (host:port) is the first argument. It expects an empty store of its own.
'use strict';

const { Etcd3 } = require('etcd3');

const client = new Etcd3({ hosts: `http://${process.argv[2]}` });
const STEP_LIMIT = 20000;

function want(got, expected) {
  const [g, e] = [JSON.stringify(got), JSON.stringify(expected)];
  if (g !== e) {
    throw new Error(`got ${g}, expected ${e}`);
  }
}

/** The call must fail, and the error must hold this message of the server. */
async function fails(call, text) {
  let answer;
  try {
    answer = await call;
  } catch (error) {
    if (!error.message.includes(text)) {
      throw new Error(`failed with "${error.message}", expected "${text}"`);
    }
    return;
  }
  throw new Error(`no error but ${JSON.stringify(answer)}, expected "${text}"`);
}

async function put(key, value) {
  return Number((await client.put(key).value(value)).header.revision);
}

/** Notes the events of a watcher from now on; the function it returns waits until there are so many. */
function record(watcher) {
  const events = [];
  let wake = () => {};
  const add = kind => (kv, previous) => {
    const event = [kind, kv.key.toString(), kv.value.toString()];
    if (previous && previous.key.length > 0) {
      event.push(previous.value.toString());
    }
    events.push(event);
    wake();
  };
  watcher.on('put', add('put'));
  watcher.on('delete', add('delete'));
  return async count => {
    while (events.length < count) {
      await new Promise(resolve => (wake = resolve));
    }
    return events;
  };
}

const steps = {
  'put-get': async () => {
    const revision = await put('put/a', '1');
    const previous = await client.put('put/a').value('2').getPrevious();
    want(previous.value.toString(), '1');
    const kv = (await client.get('put/a').exec()).kvs[0];
    want(
      [kv.value.toString(), Number(kv.create_revision), Number(kv.mod_revision), Number(kv.version)],
      ['2', revision, revision + 1, 2],
    );
    want(await client.get('put/none').string(), null);
  },

  'get-options': async () => {
    await put('get/c', '1');
    await put('get/a', '3');
    const past = await put('get/b', '2');
    await put('get/b', '4');
    const all = () => client.getAll().prefix('get/');
    want(await all().strings(), { 'get/a': '3', 'get/b': '4', 'get/c': '1' });
    want(await all().sort('Key', 'Descend').keys(), ['get/c', 'get/b', 'get/a']);
    want(await all().sort('Value', 'Ascend').keys(), ['get/c', 'get/a', 'get/b']);
    want(await all().limit(2).keys(), ['get/a', 'get/b']);
    want(await all().count(), 3);
    want(await all().revision(past).strings(), { 'get/a': '3', 'get/b': '2', 'get/c': '1' });
    want(await all().minModRevision(past + 1).keys(), ['get/b']);
    want(await all().serializable(true).keys(), ['get/a', 'get/b', 'get/c']);
  },

  delete: async () => {
    for (const key of ['del/a', 'del/b', 'del/c']) {
      await put(key, key);
    }
    const previous = await client.delete().key('del/b').getPrevious();
    want(previous.map(kv => kv.value.toString()), ['del/b']);
    want(Number((await client.delete().prefix('del/')).deleted), 2);
    want(Number((await client.delete().prefix('del/')).deleted), 0);
  },

  txn: async () => {
    await put('txn/a', '1');
    const transact = () =>
      client
        .if('txn/a', 'Value', '==', '1')
        .then(client.put('txn/a').value('2'), client.get('txn/a'))
        .else(client.get('txn/a'))
        .commit();
    const yes = await transact();
    const no = await transact();
    want([yes.succeeded, no.succeeded], [true, false]);
    want(yes.responses[1].response_range.kvs[0].value.toString(), '2');
    want(no.responses[0].response_range.kvs[0].value.toString(), '2');
    const twice = client
      .if('txn/a', 'Value', '==', '2')
      .then(client.put('txn/b').value('1'), client.put('txn/b').value('2'))
      .commit();
    await fails(twice, 'etcdserver: duplicate key given in txn request');
  },

  'watch-now': async () => {
    await put('now/a', 'old');
    const watcher = await client.watch().key('now/a').create();
    const events = record(watcher);
    await put('now/a', 'new');
    await put('now/b', 'other');
    await client.delete().key('now/a');
    want(await events(2), [['put', 'now/a', 'new'], ['delete', 'now/a', '']]);
    await watcher.cancel();
  },

  'watch-revision': async () => {
    await put('rev/a', '1');
    const start = await put('rev/a', '2');
    await put('rev/a', '3');
    const watcher = client.watch().key('rev/a').startRevision(String(start)).watcher();
    const events = record(watcher);
    want(await events(2), [['put', 'rev/a', '2'], ['put', 'rev/a', '3']]);
    await put('rev/a', '4');
    want((await events(3))[2], ['put', 'rev/a', '4']);
    await watcher.cancel();
  },

  'watch-prefix': async () => {
    const watcher = await client.watch().prefix('pre/').create();
    const events = record(watcher);
    await put('pre/a', '1');
    await put('prf', '2');
    await put('pre/c', '3');
    want(await events(2), [['put', 'pre/a', '1'], ['put', 'pre/c', '3']]);
    await watcher.cancel();
  },

  'watch-prev-kv': async () => {
    const watcher = await client.watch().key('prev/a').withPreviousKV().create();
    const events = record(watcher);
    await put('prev/a', '1');
    await put('prev/a', '2');
    await client.delete().key('prev/a');
    want(await events(3), [['put', 'prev/a', '1'], ['put', 'prev/a', '2', '1'], ['delete', 'prev/a', '', '2']]);
    await watcher.cancel();
  },

  'watch-filter': async () => {
    const watcher = await client.watch().key('filter/a').only('delete').create();
    const events = record(watcher);
    await put('filter/a', '1');
    await client.delete().key('filter/a');
    want(await events(1), [['delete', 'filter/a', '']]);
    await watcher.cancel();
  },

  'watch-cancel': async () => {
    const gone = await client.watch().key('cancel/a').create();
    const stays = await client.watch().key('cancel/a').create();
    const none = [];
    gone.on('put', kv => none.push(kv));
    const events = record(stays);
    await gone.cancel();
    await put('cancel/a', '1');
    want(await events(1), [['put', 'cancel/a', '1']]);
    want(none, []);
    await stays.cancel();
  },

  compaction: async () => {
    const old = await put('compact/a', '1');
    const now = await put('compact/a', '2');
    await client.kv.compact({ revision: String(now), physical: true });
    const compacted = 'etcdserver: mvcc: required revision has been compacted';
    await fails(client.kv.compact({ revision: String(now) }), compacted);
    const future = 'etcdserver: mvcc: required revision is a future revision';
    await fails(client.kv.compact({ revision: String(now + 1) }), future);
    await fails(client.get('compact/a').revision(old).exec(), compacted);
  },
};

async function main() {
  let failed = false;
  for (const [name, step] of Object.entries(steps)) {
    let timer;
    const limit = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${STEP_LIMIT} ms`)), STEP_LIMIT);
    });
    try {
      await Promise.race([step(), limit]);
      console.log('ok', name);
    } catch (error) {
      failed = true;
      console.log('FAIL', name, `${error.name} ${error.message}`.replace(/\s+/g, ' '));
    } finally {
      clearTimeout(timer);
    }
  }
  client.close();
  process.exit(failed ? 1 : 0);
}

main();
