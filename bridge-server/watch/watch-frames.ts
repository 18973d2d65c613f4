/** Requests of guest/watch/protocol.h. */
const requests = { add: 1, remove: 2, drain: 3 } as const;
/** Its frames. */
const frames = { open: 1, watched: 2, failed: 3, changed: 4, drained: 5 } as const;
/** What watches, by its number there. */
const sources = ['none', 'inotify', 'fanotify'] as const;

const headerBytes = 3;
/** As guest/watch/protocol.h has it. */
const bodyBytes = 512;

export type WatchSource = (typeof sources)[number];

/** What a watcher says. `words` are the arguments of the process that changed something, as it calls itself (H-9). */
export type WatchFrame =
  | { readonly type: 'open'; readonly source: WatchSource; readonly watchesMax: number; readonly why: string }
  | { readonly type: 'watched'; readonly root: number; readonly watches: number }
  | { readonly type: 'failed'; readonly root: number; readonly why: string }
  | {
      readonly type: 'changed';
      readonly root: number;
      readonly pid: number;
      readonly namespace: number;
      readonly words: string[];
    }
  | { readonly type: 'drained'; readonly root: number };

/** Has the folder at the absolute `path` watched as `root`, but for directories in it: absolute paths as if it were `/`. */
export function addRequest(root: number, path: string, ignored: readonly string[] = []): Buffer {
  return request(requests.add, root, Buffer.from([path, ...ignored].join('\0')));
}

export function removeRequest(root: number): Buffer {
  return request(requests.remove, root);
}

/** Asks to be told of all that has happened until now. */
export function drainRequest(root: number): Buffer {
  return request(requests.drain, root);
}

/** Cuts what a watcher says into frames. */
export class WatchFrames {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that `bytes` complete. @throws RangeError for what no watcher says */
  push(bytes: Buffer): WatchFrame[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const whole: WatchFrame[] = [];
    while (this.#rest.length >= headerBytes) {
      const end = headerBytes + this.#rest.readUInt16LE(0);
      if (end > headerBytes + bodyBytes) throw new RangeError('The watcher said too much at once');
      if (this.#rest.length < end) break;
      whole.push(parse(this.#rest.readUInt8(2), this.#rest.subarray(headerBytes, end)));
      this.#rest = this.#rest.subarray(end);
    }
    return whole;
  }
}

/** @throws RangeError */
function parse(kind: number, body: Buffer): WatchFrame {
  if (kind === frames.open) {
    const source = sources[body.readUInt8(0)];
    if (source === undefined) throw new RangeError('The watcher said what no watcher says');
    return { type: 'open', source, watchesMax: body.readUInt32LE(1), why: body.toString('utf8', 5) };
  }
  const root = body.readUInt32LE(0);
  switch (kind) {
    case frames.watched:
      return { type: 'watched', root, watches: body.readUInt32LE(4) };
    case frames.failed:
      return { type: 'failed', root, why: body.toString('utf8', 4) };
    case frames.changed: {
      const words = body.toString('utf8', 12).replace(/\0+$/, '');
      return {
        type: 'changed',
        root,
        pid: body.readUInt32LE(4),
        namespace: body.readUInt32LE(8),
        words: words === '' ? [] : words.split('\0'),
      };
    }
    case frames.drained:
      return { type: 'drained', root };
  }
  throw new RangeError('The watcher said what no watcher says');
}

function request(kind: number, root: number, path: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(headerBytes + 4);
  head.writeUInt16LE(4 + path.length, 0);
  head.writeUInt8(kind, 2);
  head.writeUInt32LE(root, headerBytes);
  return Buffer.concat([head, path]);
}
