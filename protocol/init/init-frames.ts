import { SandboxError } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import { initFrameTypes, nonceBytes } from './frame-header.ts';

/** Init's frames, validated. Text in it is data from a sandbox (H-9). */
export type InitFrame =
  | HelloFrame
  | AttachedFrame
  | { readonly type: 'started'; readonly id: number; readonly pid: number; readonly stdinCredit: number }
  | { readonly type: 'stdout' | 'stderr' | 'status'; readonly id: number; readonly bytes: Uint8Array }
  | ExitFrame
  | { readonly type: 'credit'; readonly id: number; readonly bytes: number }
  | { readonly type: 'ok' | 'pong'; readonly id: number }
  | ErrorFrame
  | {
      readonly type: 'processes';
      readonly id: number;
      readonly complete: boolean;
      readonly processes: readonly ProcessInfo[];
    }
  | { readonly type: 'log'; readonly text: string };

export interface ErrorFrame {
  readonly type: 'error';
  readonly id: number;
  readonly errno: number;
  readonly text: string;
  /** What is at fault when the process of an EXEC cannot start; absent for others, and where an older init does not say. */
  readonly subject?: 'program' | 'directory' | undefined;
}

/** By their numbers on the wire; a newer init may know more of them. */
const startSubjects = [undefined, 'program', 'directory'] as const;

export interface HelloFrame {
  readonly type: 'hello';
  readonly nonce: Uint8Array;
  readonly version: number;
  /** Bits: 1 terminals, 2 mount, 4 system settings, 8 status descriptor. */
  readonly capabilities: number;
  /** Lower-case hex; tells one start of init from another. */
  readonly bootId: string;
  /** How many ATTACHED frames follow. */
  readonly attached: number;
}

/** A process that was already running when the host said HELLO. */
export interface AttachedFrame {
  readonly type: 'attached';
  readonly id: number;
  readonly pid: number;
  readonly pty: boolean;
  readonly stdin: boolean;
  readonly status: boolean;
  readonly stdinCredit: number;
}

const exitReasons = ['exited', 'signalled', 'killed', 'checkout'] as const;

export interface ExitFrame {
  readonly type: 'exit';
  readonly id: number;
  readonly code: number;
  /** 0: none. */
  readonly signal: number;
  readonly reason: (typeof exitReasons)[number];
  readonly userUs: number;
  readonly systemUs: number;
  readonly durationUs: number;
  readonly maxRssKib: number;
}

/** One process of the machine. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  /** The stream in whose session it runs, or 0. */
  readonly stream: number;
  readonly cpuUs: number;
  readonly rssBytes: number;
  readonly argv: readonly string[];
}

/** Where a frame was cut out of the stream; `body` may be a view. */
export interface RawFrame {
  readonly type: number;
  readonly id: number;
  readonly body: Uint8Array;
}

/** Decodes and validates a frame; bytes of output stay views. @throws protocol-violation */
export function decodeInitFrame({ type, id, body }: RawFrame): InitFrame {
  if (type === initFrameTypes.stdout) return { type: 'stdout', id, bytes: body };
  if (type === initFrameTypes.stderr) return { type: 'stderr', id, bytes: body };
  if (type === initFrameTypes.status) return { type: 'status', id, bytes: body };
  const reader = new ByteReader(body);
  const frame = readBody(reader, type, id);
  reader.end();
  return frame;
}

function readBody(reader: ByteReader, type: number, id: number): InitFrame {
  switch (type) {
    case initFrameTypes.hello:
      return readHello(reader);
    case initFrameTypes.attached:
      return readAttached(reader, id);
    case initFrameTypes.started:
      return { type: 'started', id, pid: reader.u32(), stdinCredit: reader.u32() };
    case initFrameTypes.exit:
      return readExit(reader, id);
    case initFrameTypes.credit:
      return { type: 'credit', id, bytes: reader.u32() };
    case initFrameTypes.ok:
      return { type: 'ok', id };
    case initFrameTypes.pong:
      return { type: 'pong', id };
    case initFrameTypes.error:
      return readError(reader, id);
    case initFrameTypes.processes:
      return readProcesses(reader, id);
    case initFrameTypes.log:
      return { type: 'log', text: reader.text() };
    default:
      throw new SandboxError('protocol-violation', `Cannot read a frame from init: type ${type} is unknown`);
  }
}

function readHello(reader: ByteReader): HelloFrame {
  const nonce = reader.bytes(nonceBytes).slice();
  const version = reader.u32();
  const capabilities = reader.u32();
  const bootId = Array.from(reader.bytes(nonceBytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { type: 'hello', nonce, version, capabilities, bootId, attached: reader.u32() };
}

function readAttached(reader: ByteReader, id: number): AttachedFrame {
  const pid = reader.u32();
  const flags = reader.u8();
  return {
    type: 'attached',
    id,
    pid,
    pty: (flags & 1) !== 0,
    stdin: (flags & 2) !== 0,
    status: (flags & 16) !== 0,
    stdinCredit: reader.u32(),
  };
}

function readError(reader: ByteReader, id: number): ErrorFrame {
  const error = { type: 'error', id, errno: reader.u32(), text: reader.text() } as const;
  const subject = reader.isAtEnd ? undefined : startSubjects[reader.u8()];
  return subject === undefined ? error : { ...error, subject };
}

function readExit(reader: ByteReader, id: number): ExitFrame {
  const code = reader.u8();
  const signal = reader.u8();
  const reason = exitReasons[reader.u8()];
  if (reason === undefined) {
    throw new SandboxError('protocol-violation', 'Cannot read a frame from init: unknown exit reason');
  }
  const userUs = reader.u64();
  const systemUs = reader.u64();
  const durationUs = reader.u64();
  return { type: 'exit', id, code, signal, reason, userUs, systemUs, durationUs, maxRssKib: reader.u32() };
}

function readProcesses(reader: ByteReader, id: number): InitFrame {
  const complete = reader.u8() === 1;
  const processes: ProcessInfo[] = [];
  for (let left = reader.u16(); left > 0; left--) {
    const pid = reader.u32();
    const parentPid = reader.u32();
    const stream = reader.u32();
    const cpuUs = reader.u64();
    const rssBytes = reader.u64();
    processes.push({ pid, parentPid, stream, cpuUs, rssBytes, argv: reader.texts() });
  }
  return { type: 'processes', id, complete, processes };
}
