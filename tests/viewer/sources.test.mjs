// Sources: ranges of blobs and of servers, what changes while it is open, and cancelled work.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test from 'node:test';
import {
  HdbError, blobSource, bytesSource, open, urlSource,
} from '../../tools/viewer/reader/index.js';
import { bytesOfFile } from './support.mjs';

const bytes = bytesOfFile('fixtures/v0.10/all_kinds.hdb');
const hash = await (await open(bytesSource(bytes))).stateHash();

/** Runs `work` with the address of a server that answers with `answer`. */
async function withServer(answer, work) {
  const server = createServer(answer);
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  try {
    await work(`http://127.0.0.1:${server.address().port}/save.hdb`);
  } finally {
    server.closeAllConnections?.();
    server.close();
  }
}

/** Answers ranges of `content()`. */
function ranges(content, etag = () => '"1"') {
  return (request, response) => {
    const all = content();
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range);
    const part = all.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, {
      'content-range': `bytes ${first}-${Number(first) + part.length - 1}/${all.length}`,
      etag: etag(),
    });
    response.end(part);
  };
}

const isKind = (kind) => (error) => error instanceof HdbError && error.kind === kind;

test('a blob is read in ranges', async () => {
  const blob = new Blob([bytes]);
  let read = 0;
  const source = blobSource(blob);
  const counting = { ...source, read: (offset, size) => {
    read += size;
    return source.read(offset, size);
  } };
  const snapshot = await open(counting);
  assert.ok(read < bytes.length, `${read} bytes to open ${bytes.length}`);
  assert.equal(await snapshot.stateHash(), hash);
});

test('a blob that changed is an error that says so', async () => {
  const gone = { size: bytes.length, slice: () => ({ arrayBuffer: () =>
    Promise.reject(new DOMException('changed', 'NotReadableError')) }) };
  await assert.rejects(open(blobSource(gone)), isKind('changed'));
  const shorter = { size: bytes.length, slice: (from, to) =>
    new Blob([bytes.subarray(0, 1000)]).slice(from, to) };
  await assert.rejects(open(blobSource(shorter)), isKind('changed'));
});

test('a server answers with ranges', async () => {
  await withServer(ranges(() => bytes), async (url) => {
    assert.equal(await (await open(await urlSource(url))).stateHash(), hash);
  });
});

test('a server answers with the whole file', async () => {
  await withServer((_, response) => response.end(bytes), async (url) => {
    assert.equal(await (await open(await urlSource(url))).stateHash(), hash);
  });
});

test('a file that changes on its server is an error that says so', async () => {
  const long = new Uint8Array(200000);
  let count = 0;
  await withServer(ranges(() => long, () => `"${count++}"`), async (url) => {
    const source = await urlSource(url);
    await assert.rejects(source.read(100000, 10), isKind('changed'));
  });
  await withServer(ranges(() => long.subarray(count++)), async (url) => {
    const source = await urlSource(url);
    await assert.rejects(source.read(100000, 10), isKind('changed'));
  });
});

test('a server that refuses is an error of input', async () => {
  await withServer((_, response) => { response.statusCode = 404; response.end(); }, async (url) => {
    await assert.rejects(urlSource(url), isKind('io'));
  });
});

test('work can be cancelled', async () => {
  const snapshot = await open(bytesSource(bytes));
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(snapshot.validate('deep', { signal: controller.signal }),
    isKind('cancelled'));
});

test('limits are the program\'s', async () => {
  await assert.rejects(open(bytesSource(bytes), { limits: { maxTables: 1 } }), isKind('limit'));
  const snapshot = await open(bytesSource(bytes), { limits: { maxMemoryBytes: 10 } });
  await assert.rejects(snapshot.table('scores').group(0), isKind('limit'));
});

test('some columns of a group', async () => {
  const snapshot = await open(bytesSource(bytesOfFile('fixtures/v0.10/every_field.hdb')));
  const table = snapshot.table('things');
  const group = await table.group(0, { columns: ['weapons.damage', 'pos.y'] });
  const plain = (value) => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(table.reader(group)(1)),
    { pos: { y: 0 }, weapons: [{ damage: 7 }, { damage: 3.5 }] });
  await assert.rejects(table.group(0, { columns: ['nothing'] }), isKind('refused'));
});

test('what a handle names', async () => {
  const snapshot = await open(bytesSource(bytesOfFile('fixtures/v0.10/every_field.hdb')));
  const table = snapshot.table('things');
  const field = table.root.children.find(({ name }) => name === 'self');
  const { fields } = await table.record(1);
  const found = await snapshot.resolve(field, fields.self.bits);
  assert.deepEqual([found.kind, found.table.name, found.slot], ['live', 'things', 0]);
  assert.equal((await snapshot.resolve(field, 0n)).kind, 'null');
  assert.equal((await snapshot.resolve(field, fields.self.bits + (1n << 32n))).kind, 'stale');
  assert.equal((await snapshot.resolve(field, 1n << 63n)).kind, 'foreign');
});
