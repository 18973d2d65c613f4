import type { MiddlewareHandler } from 'hono';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { BridgeEnv } from './service.ts';

/** Their routes check and count the body. */
const ownPath = /^\/(git\/|mcp$)/;

/**
 * Four kinds of request have a body that their routes check and count: of git, which are in git's own format; of MCP, which are
 * JSON that may have a file in it; and uploads of a file or of an archive, which are bytes of any type. Every other body is JSON
 * and says so, as no form can, and says how long it is: Node holds the client to that.
 */
export const limitBody: MiddlewareHandler<BridgeEnv> = async (c, next) => {
  if (ownPath.test(c.req.path)) return next();
  if (c.req.method === 'PUT' && /\/(files|archive|restore)$/.test(c.req.path)) return next();
  const { headers } = c.env.incoming;
  const length = Number(headers['content-length'] ?? 0);
  const refuse = (why: string) => new SandboxError('invalid-argument', `Cannot read the body: ${why}`);
  if (headers['transfer-encoding'] !== undefined) throw refuse('it does not say its length');
  if (length > limits.httpBodyBytes) {
    const message = `Cannot take the request: its body is larger than ${limits.httpBodyBytes} bytes`;
    throw new SandboxError('limit-exceeded', message, { details: { limitBytes: limits.httpBodyBytes } });
  }
  if (length > 0 && !/^application\/json(;|$)/i.test(headers['content-type'] ?? '')) {
    throw refuse('its Content-Type is not application/json');
  }
  return next();
};
