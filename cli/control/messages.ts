import { SandboxError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/schema.ts';

/** Of what is said on the socket: it grows when an older client would misunderstand an answer. */
export const controlVersion = 1;

/** The name of the socket in a folder that is served. */
export const controlSocketName = 'control.sock';

/** What a client asks: one line. The fields of the operation are beside these. */
export interface ControlRequest {
  /** The client's own: answers and events have it. */
  readonly id: number;
  readonly op: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads one line of a client. @throws invalid-argument */
export function parseRequest(line: string): ControlRequest {
  const value = parseJson(line);
  if (!isObject(value)) throw invalid('a line that is no object of JSON');
  const { id, op, ...fields } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id))
    throw invalid('a request without a whole number as "id"');
  if (typeof op !== 'string') throw invalid('a request without text as "op"', id);
  return { id, op, fields };
}

/** One line: what a client or a server says. */
export function toLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function invalid(what: string, id?: number): SandboxError {
  return new SandboxError('invalid-argument', `Cannot answer ${what}`, {
    details: id === undefined ? {} : { id },
  });
}
