import { encodeText, type ShellText } from '../../text.ts';

/** What jq asks of the system, and gets at once. Paths are as jq names them. */
export interface JqSystem {
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  readonly cwd: ShellText;
  isTerminal(fd: number): boolean;
  /** Milliseconds since the epoch: the same all through a run. */
  readonly nowMs: number;
  /** The content of a file, or a code of `errors`. */
  open(path: ShellText): Uint8Array | keyof typeof errors;
  write(fd: 1 | 2, bytes: Uint8Array): void;
  readonly stdin: () => Uint8Array;
}

/** Numbers of errors as WASI has them. */
const errors = {
  EACCES: 2,
  EBADF: 8,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ENOENT: 44,
  ENOTDIR: 54,
  ENOTTY: 59,
} as const;
const notSeekable = 70;
/** Requests that are made to find out whether a descriptor is a terminal (TCGETS, TIOCGWINSZ). */
const terminalRequests: readonly number[] = [21_505, 21_523];
const regularFile = 0o100644;
const stat = { bytes: 96, mode: 4, links: 8, size: 24, blockSize: 32 };

interface OpenedFile {
  readonly content: () => Uint8Array;
  at: number;
}

/**
 * The functions that jq-wasm 1.0.1 imports, by the names that its build gives them, of those that concern files, the
 * environment and the clock: its own have none of the sandbox's files, and its standard streams copy all of their bytes for each byte.
 */
export function jqSystemCalls(
  system: JqSystem,
  memory: () => ArrayBuffer,
): Readonly<Record<string, (...args: number[]) => number | bigint>> {
  const files = new Map<number, OpenedFile>([[0, { content: system.stdin, at: 0 }]]);
  let nextDescriptor = 3;
  const environment = [...system.environment].map(([name, value]) => encodeText(`${name}=${value}\0`));
  const view = () => new DataView(memory());
  const bytesAt = (from: number, length: number) => new Uint8Array(memory(), from, length);
  const vectors = (at: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const numbers = view();
      return bytesAt(numbers.getUint32(at + index * 8, true), numbers.getUint32(at + index * 8 + 4, true));
    });

  function open(path: string): number {
    const found = system.open(path);
    if (typeof found === 'string') return -errors[found];
    const fd = nextDescriptor++;
    files.set(fd, { content: () => found, at: 0 });
    return fd;
  }

  function read(fd: number, at: number, count: number, readAt: number): number {
    const file = files.get(fd);
    if (file === undefined) return errors.EBADF;
    const content = file.content();
    let total = 0;
    for (const target of vectors(at, count)) {
      const piece = content.subarray(file.at, file.at + target.length);
      target.set(piece);
      file.at += piece.length;
      total += piece.length;
    }
    view().setUint32(readAt, total, true);
    return 0;
  }

  function write(fd: number, at: number, count: number, writtenAt: number): number {
    if (fd !== 1 && fd !== 2) return errors.EBADF;
    let total = 0;
    for (const source of vectors(at, count)) {
      system.write(fd, source.slice());
      total += source.length;
    }
    view().setUint32(writtenAt, total, true);
    return 0;
  }

  function writeStat(content: Uint8Array, at: number): number {
    bytesAt(at, stat.bytes).fill(0);
    const numbers = view();
    numbers.setUint32(at + stat.mode, regularFile, true);
    numbers.setUint32(at + stat.links, 1, true);
    numbers.setUint32(at + stat.size, content.length, true);
    numbers.setUint32(at + stat.blockSize, 4096, true);
    return 0;
  }

  function writeStatOf(pathAt: number, at: number): number {
    const found = system.open(textAt(pathAt));
    return typeof found === 'string' ? -errors[found] : writeStat(found, at);
  }

  function textAt(at: number): string {
    const bytes = new Uint8Array(memory(), at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  return {
    f: (_directory = 0, path = 0) => open(textAt(path)),
    e: () => 0,
    A: (fd = 0, at = 0) => writeStat(files.get(fd)?.content() ?? new Uint8Array(0), at),
    x: (path = 0, at = 0) => writeStatOf(path, at),
    y: (_directory = 0, path = 0, at = 0) => writeStatOf(path, at),
    z: (path = 0, at = 0) => writeStatOf(path, at),
    p: () => -errors.EINVAL,
    q: (at = 0, size = 0) => {
      const cwd = encodeText(`${system.cwd}\0`);
      if (cwd.length > size) return -errors.EINVAL;
      bytesAt(at, cwd.length).set(cwd);
      return cwd.length;
    },
    h: (fd = 0, request = 0) =>
      terminalRequests.includes(request) && system.isTerminal(fd) ? 0 : -errors.ENOTTY,
    i: (pointersAt = 0, textsAt = 0) => {
      let at = textsAt;
      for (const [index, text] of environment.entries()) {
        view().setUint32(pointersAt + index * 4, at, true);
        bytesAt(at, text.length).set(text);
        at += text.length;
      }
      return 0;
    },
    j: (countAt = 0, bytesTotalAt = 0) => {
      view().setUint32(countAt, environment.length, true);
      const total = environment.reduce((sum, { length }) => sum + length, 0);
      view().setUint32(bytesTotalAt, total, true);
      return 0;
    },
    B: () => system.nowMs,
    c: (fd = 0) => (files.delete(fd) ? 0 : errors.EBADF),
    g: (fd = 0, at = 0, count = 0, readAt = 0) => read(fd, at, count, readAt),
    d: (fd = 0, at = 0, count = 0, writtenAt = 0) => write(fd, at, count, writtenAt),
    n: () => notSeekable,
    v: (zoneAt = 0, daylightAt = 0, nameAt = 0, daylightNameAt = 0) => {
      view().setInt32(zoneAt, 0, true);
      view().setInt32(daylightAt, 0, true);
      for (const at of [nameAt, daylightNameAt]) bytesAt(at, 4).set(encodeText('UTC\0'));
      return 0;
    },
  };
}
