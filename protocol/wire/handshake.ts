import { type ErrorCode, errorTable, SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import { count, dictionary, flag, list, number, optional, record, type Schema, text } from '../schema.ts';
import { encodeFrame, type Frame, linkFrames, violation, wireVersions } from './frames/frame.ts';
import { decodeMessage, encodeError, encodeMessage } from './frames/message.ts';
import type { KnownMethods } from './known-methods.ts';

/** What a connection may be able to do beyond the calls. `resume`: a session outlives its transport. */
export const wireCapabilities = ['resume'] as const;

/** Bounds that the server sets for a session; the client keeps to them. */
export interface WireLimits {
  /** Of one message of the transport, either way. */
  readonly messageBytes: number;
  /** Calls under way at a time. */
  readonly requests: number;
  /** Handles and streams at a time. */
  readonly streams: number;
  /** Bytes of a stream that may be sent without further credit. */
  readonly windowBytes: number;
}

/** The session that a client goes on with, and how many of its frames it has received. */
export interface ResumeRequest {
  readonly id: string;
  readonly secret: string;
  readonly received: number;
}

/** The client's first words. */
export interface Hello {
  readonly versions: readonly number[];
  /** What the client cannot do without. */
  readonly capabilities: readonly string[];
  readonly resume?: ResumeRequest | undefined;
  /** When its access ends, it comes back with another: its session is to wait. */
  readonly renews?: boolean | undefined;
}

/** How long a client is let in, where that has an end. */
export interface WireAccess {
  /** Time that is left. */
  readonly endsInMs: number;
  /** Whether the client can have it prolonged, other than by coming with another. */
  readonly isRenewable: boolean;
}

/** The server's answer. */
export interface Welcome {
  readonly version: number;
  readonly capabilities: readonly string[];
  readonly limits: WireLimits;
  /** How to go on after the transport is lost, and within which time. */
  readonly session: { readonly id: string; readonly secret: string; readonly graceMs: number };
  /** Numbered frames of the client that the server has received: 0 for a new session. */
  readonly received: number;
  /** Absent when it has no end, or the server does not say. */
  readonly access?: WireAccess | undefined;
  /** Absent where the server does not say. */
  readonly methods?: KnownMethods | undefined;
}

const helloJsonBytes = 4_096;
/** With room for several times the methods that there are. */
const welcomeJsonBytes = 32_768;
/** Smaller messages would cut large bodies into more parts than `limits.wireBodyBytes` has room for. */
const leastMessageBytes = 65_536;
const uint32 = count(0xffff_ffff);

const helloSchema: Schema<Hello> = record<Hello>({
  versions: list(number),
  capabilities: list(text),
  resume: optional(record<ResumeRequest>({ id: text, secret: text, received: uint32 })),
  renews: optional(flag),
});

export const accessSchema: Schema<WireAccess> = record<WireAccess>({ endsInMs: number, isRenewable: flag });

/** A server asks for no more memory than this client's own limits. */
const welcomeSchema: Schema<Welcome> = record<Welcome>({
  version: number,
  capabilities: list(text),
  limits: record<WireLimits>({
    messageBytes: atLeast(leastMessageBytes, count(limits.wireMessageBytes)),
    requests: atLeast(2, uint32),
    streams: atLeast(1, uint32),
    windowBytes: atLeast(1, count(limits.wireWindowBytes)),
  }),
  session: record({ id: text, secret: text, graceMs: number }),
  received: uint32,
  access: optional(accessSchema),
  methods: optional(dictionary(text, list(text))),
});

const errorSchema = record<{ code: string; message: string; details: unknown }>({
  code: text,
  message: text,
  details: record({}),
});

/** A HELLO or a WELCOME, as a message of the transport. */
export function encodeGreeting(type: 'hello' | 'welcome', json: Hello | Welcome): Uint8Array {
  return encodeFrame({ type: linkFrames[type], parts: encodeMessage({ json }) });
}

/** A BYE: the session is over, because of `error` or because nobody needs it. */
export function encodeBye(error?: SandboxError): Uint8Array {
  return encodeFrame({ type: linkFrames.bye, parts: error ? encodeError(error) : encodeMessage({}) });
}

/** Reads the client's first frame, and checks that both can talk. @throws protocol-violation, version-mismatch, unsupported */
export function readHello(frame: Frame, offered: readonly string[]): Hello {
  if (frame.type !== linkFrames.hello) throw violation('something else than HELLO first');
  const hello = helloSchema(decodeMessage(frame.payload, { jsonBytes: helloJsonBytes }).json, 'hello');
  agree(hello.versions);
  const missing = hello.capabilities.filter((wanted) => !offered.includes(wanted));
  if (missing.length > 0) {
    const details = { feature: missing[0], wanted: hello.capabilities, offered };
    const message = `Cannot talk: the client wants ${missing.join(', ')}, the server has ${offered.join(', ') || 'nothing beyond the calls'}`;
    throw new SandboxError('unsupported', message, { details });
  }
  return hello;
}

/** Reads the server's first frame. @throws what the server refuses with; protocol-violation, version-mismatch */
export function readWelcome(frame: Frame): Welcome {
  if (frame.type === linkFrames.bye) throw readBye(frame) ?? violation('BYE first');
  if (frame.type !== linkFrames.welcome) throw violation('something else than WELCOME first');
  const welcome = welcomeSchema(
    decodeMessage(frame.payload, { jsonBytes: welcomeJsonBytes }).json,
    'welcome',
  );
  agree([welcome.version]);
  return welcome;
}

/** The newest version that both speak. @throws version-mismatch */
export function agree(theirs: readonly number[]): number {
  const version = wireVersions.find((each) => theirs.includes(each));
  if (version !== undefined) return version;
  throw new SandboxError(
    'version-mismatch',
    `Cannot talk: this side speaks version ${wireVersions.join(', ')} of the wire protocol, the other ${theirs.slice(0, 16).join(', ') || 'none'}`,
    { details: { ours: wireVersions, theirs: theirs.slice(0, 16) } },
  );
}

/** What a BYE says went wrong, or nothing. @throws protocol-violation */
export function readBye({ payload }: Frame): SandboxError | undefined {
  const { json } = decodeMessage(payload, { jsonBytes: limits.wireRequestJsonBytes });
  return json === undefined ? undefined : readError(json);
}

/** An error that a peer told of; a code that this version does not know becomes `internal`. @throws protocol-violation */
export function readError(json: unknown): SandboxError {
  const { code, message, details } = errorSchema(json, 'error');
  const known = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'internal';
  return new SandboxError(known, message, { details: { ...(details as Record<string, unknown>) } });
}

function atLeast(least: number, schema: Schema<number>): Schema<number> {
  return (value, where) => {
    const valid = schema(value, where);
    if (valid < least) throw violation(`less than ${least} as ${where}`);
    return valid;
  };
}
