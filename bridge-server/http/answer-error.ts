import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import { errorBody } from './error-body.ts';
import { loggedError } from './log.ts';
import type { BridgeEnv } from './service.ts';

/** The answer that says what failed, with the status of its code. */
export function answerError(cause: Error, c: Context<BridgeEnv>): Response {
  const error = cause instanceof HTTPException ? fromHono(cause) : SandboxError.from(cause);
  const { status } = errorTable[error.code];
  c.var.span?.fail(error.code);
  // What cannot be done here is no failure of the bridge, and any client can ask for it.
  if (error.code === 'unsupported') c.var.log?.info(loggedError(cause), 'request not supported');
  else if (status >= 500) c.var.log?.error(loggedError(cause), 'request failed');
  const { retryAfterSeconds } = error.details;
  if (typeof retryAfterSeconds === 'number') c.header('retry-after', String(retryAfterSeconds));
  if (error.code === 'unauthenticated') c.header('www-authenticate', 'Bearer');
  // 499 is known to servers and proxies, not to the type.
  return c.json(errorBody(error), status as ContentfulStatusCode);
}

/** What Hono itself refuses: JSON that is none, or a type of body that no route takes, also of one without bytes. */
function fromHono(error: HTTPException): SandboxError {
  if (error.status >= 500) return new SandboxError('internal', error.message, { cause: error });
  const why = error.status === 415 ? 'its Content-Type is not application/json' : 'it is not JSON';
  return new SandboxError('invalid-argument', `Cannot read the body: ${why}`, { cause: error });
}

/** How the parts of a request are called, by the names that Hono has for them. */
const partNames: Readonly<Record<string, string>> = { json: 'body', param: 'path', header: 'headers' };

/** What a schema found wrong with a part of a request. */
export function invalidPart(
  target: string,
  issues: readonly { code?: string; path: PropertyKey[]; message: string }[],
): SandboxError {
  // A field that is missing is most likely there under another name.
  const isUnknown = ({ code }: { code?: string }) => Number(code === 'unrecognized_keys');
  const ordered = [...issues].sort((a, b) => isUnknown(b) - isUnknown(a));
  const found = ordered.slice(0, 8).map(({ path, message }) => ({ at: path.map(String).join('.'), message }));
  const [first] = found;
  const at = first?.at ? `${first.at}: ` : '';
  const message = `Cannot use the ${partNames[target] ?? target}: ${at}${first?.message ?? 'it is not valid'}`;
  return new SandboxError('invalid-argument', message, { details: { issues: found } });
}
