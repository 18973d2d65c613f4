import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { AroundRequest } from '../../protocol/wire/server/around-request.ts';
import type { Tracer } from '../trace-contract.ts';

/** A span for each request of the wire protocol; `undefined` where nothing is traced, which then costs nothing. */
export function traceRequests(tracer: Tracer): AroundRequest | undefined {
  if (tracer.target === undefined) return undefined;
  return async (request, work) => {
    const span = tracer.receive(request.method);
    // Some close the connection, some make it: asked before and after. Nothing waits for the answer.
    const before = sandboxOf(request.connection());
    try {
      return await span.run(work);
    } catch (cause) {
      span.fail(SandboxError.from(cause).code);
      throw cause;
    } finally {
      const after = sandboxOf(request.connection());
      void Promise.all([before, after]).then(([first, last]) => span.end({ sandbox: first ?? last }));
    }
  };
}

/** Its own word for its id, which no client made up. `undefined` when it is closed already. */
async function sandboxOf(connection: SandboxConnection | undefined): Promise<string | undefined> {
  try {
    return (await connection?.info.get())?.id;
  } catch {
    return undefined;
  }
}
