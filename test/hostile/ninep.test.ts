import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errno } from '../../tree/live/errno.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { ninePLimits } from '../../tree/ninep/limits.ts';
import { type MessageName, messageType } from '../../tree/ninep/message-type.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { openFlag } from '../../tree/ninep/open-flags.ts';
import { Message } from '../ninep/message.ts';
import { createFile, mount } from '../ninep/mount.ts';

const names = Object.keys(messageType) as MessageName[];
const enough = new Uint8Array(64);

/**
 * A server with some state to hit, and fids 1 to 8 on all sorts of things. The test fails when a
 * handler throws.
 */
function target() {
  const machine = mount(new LiveTree({ totalBytes: 4_194_304, totalInodes: 500 }));
  const { client, root } = machine;
  client.write(createFile(client, root, 'a'), 0, 'content');
  client.mkdir(root, 'b', { mode: 0o2777 });
  client.symlink(root, 'c', 'a');
  client.setXattr(root, 'user.a', Uint8Array.of(1, 2, 3));
  client.open(client.walk(root), openFlag.readOnly);
  client.walk(root, 'b');
  client.walk(root, 'c');
  return machine;
}

/** Checks what holds for any reply: framed, the request's tag, its type or Rlerror with an errno. */
function expectWellFormed(request: Uint8Array, reply: Uint8Array): void {
  const view = new DataView(reply.buffer, reply.byteOffset, reply.byteLength);
  expect(view.getUint32(0, true)).toBe(reply.length);
  expect(reply.length).toBeLessThan(ninePLimits.messageBytes);
  if (reply[4] === 7) {
    expect(reply.length).toBe(11);
    expect(view.getUint32(7, true)).toBeGreaterThan(0);
    expect(view.getUint32(7, true)).toBeLessThan(134);
  } else {
    expect(reply[4]).toBe((request[4] ?? 0) + 1);
  }
  if (request.length >= 7) expect(reply.subarray(5, 7)).toEqual(request.subarray(5, 7));
}

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'user.a') },
  { weight: 1, arbitrary: fc.constantFrom('.', '..', '', '/', 'a/b', '\0', 'n'.repeat(256)) },
);
const u8 = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 255 }));
const u16 = fc.integer({ min: 0, max: 65_535 });
const u32 = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 10 }) },
  { weight: 3, arbitrary: fc.constantFrom(0, 0x200, 0xffff_ffff) },
  { weight: 1, arbitrary: fc.integer() },
);
const u64 = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 100n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) },
);

type Shape = readonly ('u8' | 'u16' | 'u32' | 'u64' | 'text' | 'data')[];

/** What each request consists of, so that the fuzzer gets past the first check. */
const shapes: { readonly [name in MessageName]: Shape } = {
  statfs: ['u32'],
  lopen: ['u32', 'u32'],
  lcreate: ['u32', 'text', 'u32', 'u32', 'u32'],
  symlink: ['u32', 'text', 'text', 'u32'],
  mknod: ['u32', 'text', 'u32', 'u32', 'u32', 'u32'],
  rename: ['u32', 'u32', 'text'],
  readlink: ['u32'],
  getattr: ['u32', 'u64'],
  setattr: ['u32', 'u32', 'u32', 'u32', 'u32', 'u64', 'u64', 'u64', 'u64', 'u64'],
  xattrwalk: ['u32', 'u32', 'text'],
  xattrcreate: ['u32', 'text', 'u64', 'u32'],
  readdir: ['u32', 'u64', 'u32'],
  fsync: ['u32', 'u32'],
  lock: ['u32', 'u8', 'u32', 'u64', 'u64', 'u32', 'text'],
  getlock: ['u32', 'u8', 'u64', 'u64', 'u32', 'text'],
  link: ['u32', 'u32', 'text'],
  mkdir: ['u32', 'text', 'u32', 'u32'],
  renameat: ['u32', 'text', 'u32', 'text'],
  unlinkat: ['u32', 'text', 'u32'],
  version: ['u32', 'text'],
  auth: ['u32', 'text', 'text', 'u32'],
  attach: ['u32', 'u32', 'text', 'text', 'u32'],
  flush: ['u16'],
  walk: ['u32', 'u32', 'data'],
  read: ['u32', 'u64', 'u32'],
  write: ['u32', 'u64', 'data'],
  clunk: ['u32'],
  remove: ['u32'],
};

const few = { minLength: 5, maxLength: 5 };

/** A request with the fields that `kinds` says, or any others, and any values. */
function requestOf(type: MessageName, kinds: fc.Arbitrary<Shape>): fc.Arbitrary<Uint8Array> {
  const values = [fc.array(u8, few), fc.array(u32, few), fc.array(u64, few), fc.array(name, few)] as const;
  return fc
    .tuple(kinds, u16, fc.uint8Array({ maxLength: 40 }), ...values)
    .map(([shape, flushed, bytes, ...[u8s, u32s, u64s, texts]]) => {
      const message = new Message(type, 7);
      shape.forEach((kind, index) => {
        const at = index % 5;
        if (kind === 'u8') message.u8(u8s[at] ?? 0);
        else if (kind === 'u16') message.u16(flushed);
        else if (kind === 'u32') message.u32(u32s[at] ?? 0);
        else if (kind === 'u64') message.u64(u64s[at] ?? 0n);
        else if (kind === 'text') message.text(texts[at] ?? '');
        else if (type === 'walk') message.u16(1).text(texts[0] ?? '');
        else message.u32(bytes.length).data(bytes);
      });
      return message.finish();
    });
}

const anyName = fc.constantFrom(...names);
const shaped = anyName.chain((type) => requestOf(type, fc.constant(shapes[type])));
const anyShape = fc.array(fc.constantFrom<Shape[number]>('u8', 'u16', 'u32', 'u64', 'text', 'data'), {
  maxLength: 8,
});
const misshaped = anyName.chain((type) => requestOf(type, anyShape));

describe('B-2 a hostile guest', () => {
  test('any bytes at all get a well-formed answer', () => {
    const { server } = target();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expectWellFormed(bytes, server.handle(bytes));
      }),
      { numRuns: 3_000 },
    );
  });

  test('any fields behind a right header get a well-formed answer', () => {
    const { server } = target();
    fc.assert(
      fc.property(misshaped, (bytes) => {
        expectWellFormed(bytes, server.handle(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  test('any conversation of well-shaped requests is answered, and leaves nothing once it is over', () => {
    const conversation = fc.array(shaped, { minLength: 20, maxLength: 60 });
    const served = new Set<number>();
    fc.assert(
      fc.property(conversation, (requests) => {
        const { server, tree } = target();
        for (const bytes of requests) {
          // A new version would end the conversation over and over.
          if (bytes[4] === messageType.version) continue;
          const reply = server.handle(bytes);
          expectWellFormed(bytes, reply);
          if (reply[4] !== 7) served.add(bytes[4] ?? 0);
        }
        const state = structuredClone(server.saveState());
        tree.restore(tree.snapshot());
        server.restoreState(state);
        server.reset();
        expect(tree.usage().usedInodes).toBe(reachable(tree));
      }),
      { numRuns: 300, seed: 9 },
    );
    const never = names.filter((type) => !served.has(messageType[type]));
    expect(never).toEqual(['version', 'auth']);
  });

  test('a message that is too short, too long, or lies about its size is EPROTO and changes nothing', () => {
    const { client, server, tree, root } = target();
    const mark = tree.snapshot();
    const valid = names
      .filter((name) => name !== 'version' && name !== 'auth')
      .map((name) => {
        const message = new Message(name, 7);
        for (const kind of shapes[name]) {
          if (kind === 'text') message.text('a');
          else if (kind === 'data') message.u32(1).u16(1).u32(1);
          else message[kind](root);
        }
        return message.finish();
      });
    for (const bytes of valid) {
      const bad = [
        resized(bytes, bytes.length - 1),
        resized(bytes, bytes.length + 1),
        bytes.subarray(0, bytes.length - 1),
        Uint8Array.of(...bytes, 0),
      ];
      for (const request of bad) {
        const reply = server.handle(request);
        expect([request[4], reply[4], reply[7]]).toEqual([request[4], 7, errno.EPROTO]);
      }
    }
    expect(tree.changedSince(mark)).toEqual(new Set());
    client.getattr(root);
  });

  test('fids are bounded: one more is ENOMEM, and those there are work on', () => {
    const tree = new LiveTree();
    const server = new NinePServer(tree);
    server.handle(new Message('attach').u32(0).u32(0xffff_ffff).text('').text('').u32(0).finish());
    const request = new Message('walk').u32(0).u32(0).u16(0).finish();
    const view = new DataView(request.buffer);
    let reply = enough;
    for (let fid = 1; fid <= ninePLimits.fids; fid++) {
      view.setUint32(11, fid, true);
      reply = server.handle(request) as Uint8Array<ArrayBuffer>;
      if (reply[4] === 7) break;
    }
    expect([server.fidCount, reply[4], reply[7]]).toEqual([ninePLimits.fids, 7, 12]);
    const getattr = server.handle(new Message('getattr').u32(77).u64(0).finish());
    expect(getattr[4]).toBe(25);
  });

  test('a tree that throws is EIO for the guest and a fault for the host', () => {
    const faults: unknown[] = [];
    const tree = new LiveTree();
    const broken = new Proxy(tree, {
      get(of, property) {
        if (property === 'usage') throw new Error('out of order');
        const value: unknown = Reflect.get(of, property, of);
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    const server = new NinePServer(broken, { onFault: (error) => faults.push(error) });
    server.handle(new Message('attach').u32(0).u32(0xffff_ffff).text('').text('').u32(0).finish());
    const reply = server.handle(new Message('statfs').u32(0).finish());
    expect([reply[4], reply[7], String(faults[0])]).toEqual([7, 5, 'Error: out of order']);
  });
});

function resized(bytes: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(bytes.subarray(0, length));
  new DataView(copy.buffer).setUint32(0, length, true);
  return copy;
}

/** How many inodes the names of a tree lead to, as `usage` counts them: a further hard link is one more. */
function reachable(tree: LiveTree): number {
  const directories = [tree.root];
  let found = 1;
  for (const directory of directories) {
    tree.readdir(directory, 0, (_, ino) => {
      found += 1;
      if (isDirectory(tree.stat(ino)?.mode ?? 0)) directories.push(ino);
      return true;
    });
  }
  return found;
}
