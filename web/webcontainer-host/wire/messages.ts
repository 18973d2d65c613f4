import { SandboxError } from '../../../protocol/errors.ts';
import { isRecord } from '../is-record.ts';

/**
 * What `@webcontainer/api` says on a port: its own build of Comlink 4.3, which numbers the types of messages, where Comlink
 * 4.4 names them.
 */
export const requestTypes = { get: 0, set: 1, apply: 2, construct: 3, endpoint: 4, release: 5 } as const;
const valueTypes = { raw: 0, handled: 3 } as const;

/** A value on its way: as it is, an object that stays where it is behind a port, or an error. */
export type WireValue =
  | { readonly type: typeof valueTypes.raw; readonly value: unknown }
  | { readonly type: typeof valueTypes.handled; readonly name: 'proxy'; readonly value: MessagePort }
  | { readonly type: typeof valueTypes.handled; readonly name: 'throw'; readonly value: ThrownValue };

interface ThrownValue {
  readonly isError: true;
  readonly value: { readonly message: string; readonly name: string; readonly code?: string | undefined };
}

/** What a client asks of an object: one of its values, a call of it or of one of its methods, or its release. */
export type WireRequest = { readonly id: string } & (
  | { readonly type: 'get'; readonly name: string }
  | { readonly type: 'apply'; readonly name: string | undefined; readonly values: readonly WireValue[] }
  | { readonly type: 'release' }
);

const mostArguments = 8;
const mostNameCharacters = 64;

export function rawValue(value: unknown): WireValue {
  return { type: valueTypes.raw, value };
}

export function proxyValue(port: MessagePort): WireValue {
  return { type: valueTypes.handled, name: 'proxy', value: port };
}

/** The client makes an `Error` of it; `code` is as Node's file system has it, or one of ours. */
export function thrownValue({ message, name, code }: ThrownValue['value']): WireValue {
  return {
    type: valueTypes.handled,
    name: 'throw',
    value: { isError: true, value: { message, name, code } },
  };
}

/**
 * Reads a request. Nothing is looked up by a path of several names, so that nothing but what is offered can be reached.
 * @throws protocol-violation
 */
export function parseRequest(data: unknown): WireRequest {
  if (!isRecord(data) || typeof data.id !== 'string' || data.id.length > 128) throw nonsense('it has no id');
  const { id, type, path = [], argumentList = [] } = data;
  if (type === requestTypes.release) return { id, type: 'release' };
  if (!Array.isArray(path) || path.length > 1) throw nonsense('its path is no name');
  const name: unknown = path[0];
  if (name !== undefined && (typeof name !== 'string' || name.length > mostNameCharacters))
    throw nonsense('its path is no name');
  if (type === requestTypes.get && name !== undefined) return { id, type: 'get', name };
  if (type !== requestTypes.apply) throw nonsense('it asks for what no object here does');
  if (!Array.isArray(argumentList) || argumentList.length > mostArguments)
    throw nonsense('its arguments are no list');
  return { id, type: 'apply', name, values: argumentList.map(parseValue) };
}

/** The id of a request that is nonsense otherwise, so that its sender is told. */
export function requestId(data: unknown): string | undefined {
  return isRecord(data) && typeof data.id === 'string' && data.id.length <= 128 ? data.id : undefined;
}

function parseValue(value: unknown): WireValue {
  if (!isRecord(value)) throw nonsense('an argument is no value');
  if (value.type === valueTypes.raw) return rawValue(value.value);
  if (value.type === valueTypes.handled && value.name === 'proxy' && value.value instanceof MessagePort)
    return proxyValue(value.value);
  throw nonsense('an argument is no value');
}

function nonsense(why: string): SandboxError {
  return new SandboxError('protocol-violation', `Cannot take the request: ${why}`);
}
