import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { terminalSize } from '../../sandbox/processes-table.ts';
import { noFields, uint32 } from '../../sandbox/schemas.ts';
import { absentOr, closed, flag, isObject, oneOf, type Schema } from '../../schema.ts';
import type { Message } from '../frames/message.ts';
import { rowOf, type WireRequest } from '../requests.ts';

/** Requests that are in no table: what they are about is a handle, or the session. */
const handleRequests: Readonly<Record<string, Schema<object>>> = {
  'process.write': closed<{ on: number }>({ on: uint32 }),
  'process.closeStdin': closed<{ on: number }>({ on: uint32 }),
  'process.resize': closed<{ on: number; columns: number; rows: number }>({ on: uint32, ...terminalSize }),
  'process.kill': closed<{ on: number; signal?: string }>({
    on: uint32,
    signal: absentOr(oneOf('SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGKILL')),
  }),
  'stream.write': closed<{ on: number }>({ on: uint32 }),
  'stream.end': closed<{ on: number }>({ on: uint32 }),
  'import.write': closed<{ on: number }>({ on: uint32 }),
  'import.finish': closed<{ on: number }>({ on: uint32 }),
  close: closed<{ on: number; discard?: boolean }>({ on: uint32, discard: absentOr(flag) }),
  'session.renew': noFields,
};

const handleRequestsWithBytes: ReadonlySet<string> = new Set([
  'process.write',
  'stream.write',
  'import.write',
]);

/** A request as the client must send it: nothing missing, unknown, or out of bounds. @throws invalid-argument */
export function parseRequest({ json, bytes }: Message): WireRequest {
  const { method, ...rest } = isObject(json) ? json : {};
  if (typeof method !== 'string') throw refusal('method', 'the name of a method');
  const row = rowOf(method);
  if (bytes.length > limits.uploadBytes) {
    const details = { limit: limits.uploadBytes, sizeBytes: bytes.length };
    throw new SandboxError('limit-exceeded', `Cannot take ${bytes.length} bytes in one request`, { details });
  }
  const takesBytes = row?.takesBytes ?? handleRequestsWithBytes.has(method);
  const fields = row ? schemaOfCall(method, row.ask) : ownSchema(method);
  const parsed = check(fields, rest);
  if (bytes.length > 0 && !takesBytes) {
    throw new SandboxError('invalid-argument', `Cannot carry out "${method}": it takes no bytes`);
  }
  return { method, ...parsed } as WireRequest;
}

/** What a request of a table has beside its method: what it is asked with and, of a sandbox, which connection. */
function schemaOfCall(method: string, ask: Schema<object>): Schema<object> {
  const asked: Schema<object> = (value, where) => ask(value === undefined ? {} : value, where);
  if (method.startsWith('backend.')) return closed<{ ask: object }>({ ask: asked });
  return closed<{ on: number; ask: object }>({ on: uint32, ask: asked });
}

function ownSchema(method: string): Schema<object> {
  const schema = Object.hasOwn(handleRequests, method) ? handleRequests[method] : undefined;
  if (schema) return schema;
  throw refusal('method', 'a method that this server knows');
}

/** A client that asks wrongly is told, and goes on; a server that answers wrongly is not talked to any more. */
function check(schema: Schema<object>, value: unknown): object {
  try {
    return schema(value, 'request');
  } catch (error) {
    const { where, expected } = SandboxError.from(error).details;
    throw refusal(String(where).replace(/^request\.(ask\.)?/, ''), String(expected));
  }
}

function refusal(where: string, expected: string): SandboxError {
  const message = `Cannot carry out the request: ${where} is not ${expected}`;
  return new SandboxError('invalid-argument', message, { details: { where, expected } });
}
