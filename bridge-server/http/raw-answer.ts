import { STATUS_CODES } from 'node:http';
import { answerPolicy } from '../../protocol/content-security-policy.ts';
import { errorTable, type SandboxError } from '../../protocol/errors.ts';
import { errorBody } from './error-body.ts';

/** An answer for who is turned away before there is an app to ask. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The same as the app says, as plain values. */
export function rawAnswer(error: SandboxError): RawAnswer {
  const body = JSON.stringify(errorBody(error));
  return {
    status: errorTable[error.code].status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': answerPolicy,
      ...(error.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
      connection: 'close',
    },
    body,
  };
}

/** The answer as bytes of HTTP/1.1, for a socket that asked for an upgrade. */
export function answerText({ status, headers, body }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`;
}
