import type { IncomingMessage } from 'node:http';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ByteSource } from '../stream-body.ts';
import type { GitTarget } from './git-target.ts';

/** What a server of git answered, and how to read its body. */
export interface GitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ByteSource;
}

/** What is passed on of an answer: git's own, or why there is none. @throws forbidden for a redirect; connection-lost */
export function readGitAnswer(target: GitTarget, answer: IncomingMessage): GitAnswer {
  const { statusCode: status = 0, headers } = answer;
  if (status >= 300 && status < 400) throw redirected(target, headers.location);
  const kind = target.method === 'GET' ? 'advertisement' : 'result';
  const type = `application/x-${target.service}-${kind}`;
  if (status === 200 && headers['content-type'] === type) {
    const encoding = headers['content-encoding'];
    const coded = encoding === undefined ? {} : { 'content-encoding': encoding };
    return { status, headers: { 'content-type': type, ...coded }, body: readAll(answer) };
  }
  if (status < 400 || status > 599) {
    const message = `Cannot use what ${target.host} answers: it is not an answer of git`;
    throw new SandboxError('connection-lost', message, { details: { status } });
  }
  // How to sign in, for a client that asks; its text is for people, and no page.
  const challenge = headers['www-authenticate'];
  const asked = challenge === undefined ? {} : { 'www-authenticate': challenge };
  return { status, headers: { 'content-type': 'text/plain', ...asked }, body: readStart(answer) };
}

/** The bytes as they come. @throws limit-exceeded past `limits.gitAnswerBytes` */
function readAll(answer: IncomingMessage): ByteSource {
  const pieces = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let length = 0;
  return {
    pull: async () => {
      const { done, value } = await pieces.next();
      if (done) return undefined;
      length += value.length;
      if (length <= limits.gitAnswerBytes) return value;
      throw new SandboxError(
        'limit-exceeded',
        `The answer of git has more than ${limits.gitAnswerBytes} bytes`,
      );
    },
    close: () => void answer.destroy(),
  };
}

/** The first bytes, of an answer that says why there is none. */
function readStart(answer: IncomingMessage): ByteSource {
  const { pull, close } = readAll(answer);
  let left: number = limits.gitErrorBytes;
  return {
    pull: async () => {
      if (left === 0) return undefined;
      const piece = (await pull())?.subarray(0, left);
      left -= piece?.length ?? left;
      return piece;
    },
    close,
  };
}

function redirected({ host }: GitTarget, location: string | undefined): SandboxError {
  const where = JSON.stringify((location ?? '').slice(0, 512));
  const message = `Cannot follow ${host} to ${where}: use that address, if it is the repository's`;
  return new SandboxError('forbidden', message, { details: { location: location?.slice(0, 512) } });
}
