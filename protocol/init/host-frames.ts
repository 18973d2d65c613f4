import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import { ByteWriter } from './byte-writer.ts';
import { headerBytes, hostFrameTypes, indexOfBytes, resyncMarker, unaskedId } from './frame-header.ts';

/** The host's frames. `id` is the request, or the stream; both are drawn from one sequence. */
export type HostFrame =
  | { readonly type: 'hello'; readonly versions: readonly number[]; readonly nonce: Uint8Array }
  | {
      readonly type: 'mount';
      readonly id: number;
      /** A tmpfs on /tmp, outside of every snapshot. */
      readonly temporaryFiles: boolean;
      readonly tag: string;
      /** The mount options of 9p, `trans=virtio` included. */
      readonly options: string;
    }
  | ExecFrame
  | ConnectFrame
  | { readonly type: 'stdin'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'signal'; readonly id: number; readonly signal: number }
  | { readonly type: 'resize'; readonly id: number; readonly columns: number; readonly rows: number }
  | { readonly type: 'credit'; readonly id: number; readonly bytes: number }
  | { readonly type: 'setClock'; readonly id: number; readonly epochNs: bigint }
  | { readonly type: 'addEntropy'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'setHostname'; readonly id: number; readonly name: string }
  | { readonly type: 'shutdown'; readonly id: number; readonly graceMs: number }
  | {
      readonly type: 'unmount' | 'stdinEnd' | 'close' | 'sync' | 'dropCaches' | 'list' | 'ping';
      readonly id: number;
    };

/** A PING whose answer is ignored: no request has this id. */
const followUp: Uint8Array = new ByteWriter().frame(hostFrameTypes.ping, unaskedId);

export interface ExecFrame {
  readonly type: 'exec';
  readonly id: number;
  readonly pty: boolean;
  readonly stdin: boolean;
  readonly root: boolean;
  /** Descriptor 3 of the process is a pipe whose bytes come as STATUS. */
  readonly status: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Bytes of output that init may send before it is granted more. */
  readonly windowBytes: number;
  /** Empty: the user's home. */
  readonly cwd: string;
  readonly argv: readonly string[];
  /** `NAME=value` */
  readonly env: readonly string[];
}

export interface ConnectFrame {
  readonly type: 'connect';
  readonly id: number;
  readonly port: number;
  /** As of `ExecFrame`. */
  readonly windowBytes: number;
}

/**
 * The bytes of `frame`. HELLO comes with its resync marker, and standard input that contains the
 * marker as two frames, so that nothing a user pipes in can ever resync init. After a frame that
 * ends as the marker begins, init waits for what comes next, so a PING does (IP-4).
 * @throws limit-exceeded past `limits.initFrameBytes`
 * @throws invalid-argument for a NUL in a text, or the marker anywhere else
 */
export function encodeHostFrame(frame: HostFrame): Uint8Array {
  if (frame.type === 'hello') return encodeHello(frame);
  const bytes = encodeWithoutMarker(frame);
  return endsAsMarkerBegins(bytes) ? concatenate(bytes, followUp) : bytes;
}

function encodeWithoutMarker(frame: Exclude<HostFrame, { type: 'hello' }>): Uint8Array {
  const writer = new ByteWriter();
  writeBody(writer, frame);
  const bytes = writer.frame(hostFrameTypes[frame.type], frame.id);
  const marker = indexOfBytes(bytes, resyncMarker, headerBytes);
  if (marker < 0) return bytes;
  if (frame.type !== 'stdin') {
    throw new SandboxError(
      'invalid-argument',
      `Cannot send a ${frame.type} frame that contains the resync marker`,
    );
  }
  const cut = marker - headerBytes + 1;
  return concatenate(
    encodeWithoutMarker({ ...frame, bytes: frame.bytes.subarray(0, cut) }),
    encodeWithoutMarker({ ...frame, bytes: frame.bytes.subarray(cut) }),
  );
}

/** The marker's first byte occurs in it once, so only the last one in `bytes` can begin it. */
function endsAsMarkerBegins(bytes: Uint8Array): boolean {
  const at = bytes.lastIndexOf(resyncMarker[0] ?? 0);
  const tail = bytes.subarray(at);
  return (
    at >= 0 && tail.length < resyncMarker.length && tail.every((byte, index) => byte === resyncMarker[index])
  );
}

function encodeHello(frame: HostFrame & { type: 'hello' }): Uint8Array {
  const writer = new ByteWriter().bytes(frame.nonce).u16(frame.versions.length);
  for (const version of frame.versions) writer.u32(version);
  return concatenate(resyncMarker, writer.frame(hostFrameTypes.hello, 0));
}

function writeBody(writer: ByteWriter, frame: Exclude<HostFrame, { type: 'hello' }>): void {
  switch (frame.type) {
    case 'mount':
      writer.u8(Number(frame.temporaryFiles)).text(frame.tag).text(frame.options);
      break;
    case 'exec':
      writeExec(writer, frame);
      break;
    case 'connect':
      writer.u16(frame.port).u32(frame.windowBytes);
      break;
    case 'stdin':
    case 'addEntropy':
      writer.bytes(frame.bytes);
      break;
    case 'signal':
      writer.u8(frame.signal);
      break;
    case 'resize':
      writer.u16(frame.columns).u16(frame.rows);
      break;
    case 'credit':
      writer.u32(frame.bytes);
      break;
    case 'setClock':
      writer.u64(frame.epochNs);
      break;
    case 'setHostname':
      writer.text(frame.name);
      break;
    case 'shutdown':
      writer.u32(frame.graceMs);
      break;
  }
}

function writeExec(writer: ByteWriter, frame: ExecFrame): void {
  const { pty, stdin, root, status } = frame;
  const flags = Number(pty) | (Number(stdin) << 1) | (Number(root) << 2) | (Number(status) << 4);
  writer.u8(flags).u16(frame.columns).u16(frame.rows).u32(frame.windowBytes);
  writer.text(frame.cwd).texts(frame.argv).texts(frame.env);
}

/** The most standard input that one frame carries. */
export const stdinChunkBytes: number = limits.initFrameBytes;

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
