import { SandboxError } from '../../protocol/errors.ts';
import { type ErrorBody, errorBody } from './error-body.ts';
import type { ByteSource } from './stream-body.ts';

const beat = Buffer.from('\n');

/**
 * The result of `work` as JSON, with a line feed before it every `everyMs`, which is blank space to a parser and keeps
 * clients and proxies from giving up. The status was sent by then, so an error is in the body. `onGone` is told of a client
 * that goes before the end.
 */
export function slowJson(
  work: Promise<object>,
  { everyMs, onGone }: { readonly everyMs: number; readonly onGone: () => void },
): ByteSource {
  const result = work.catch((cause): ErrorBody => errorBody(SandboxError.from(cause)));
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;
  return {
    pull: async () => {
      if (isOver) return undefined;
      if (isFirst) {
        isFirst = false;
        return beat;
      }
      const waiting = Promise.withResolvers<undefined>();
      timer = setTimeout(() => waiting.resolve(undefined), everyMs);
      const value = await Promise.race([result, waiting.promise]);
      clearTimeout(timer);
      if (value === undefined) return beat;
      isOver = true;
      return Buffer.from(JSON.stringify(value));
    },
    close: () => {
      clearTimeout(timer);
      if (!isOver) onGone();
    },
  };
}
