import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Repository } from './repository.ts';

/** A commit as its object has it: what people have written is bytes, in whatever encoding, in lines of one character each. */
export interface CommitParts {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** `Ada <ada@example.org> 1767225600 +0000`, or whatever else a stranger has put there. */
  readonly author: string;
  readonly committer: string;
  readonly encoding: string | undefined;
  readonly message: Uint8Array;
}

/** Reads a commit. The library's own reader fails at what is no date, and loses what is no UTF-8. @throws limit-exceeded, asset-unavailable */
export async function readCommitParts(
  { library, at }: Pick<Repository, 'library' | 'at'>,
  oid: string,
): Promise<CommitParts> {
  const { type, object } = await library.readObject({ ...at, oid, format: 'content' });
  if (type !== 'commit' || !(object instanceof Uint8Array))
    throw new library.Errors.ObjectTypeError(oid, type as 'blob', 'commit');
  const end = headerEnd(object);
  const parents: string[] = [];
  const fields = new Map<string, string>();
  for (const line of charactersOf(object.subarray(0, end)).split('\n')) {
    const blank = line.indexOf(' ');
    // A line that begins with a blank goes on with the one before, such as a signature.
    if (blank < 1) continue;
    const [name, value] = [line.slice(0, blank), line.slice(blank + 1)];
    if (name === 'parent') parents.push(value);
    else if (!fields.has(name)) fields.set(name, value);
    if (parents.length > limits.gitCommitParents) throw tooMany(oid);
  }
  const tree = fields.get('tree') ?? '';
  if (![tree, ...parents].every((id) => /^[0-9a-f]{40}$/.test(id)))
    throw new SandboxError('asset-unavailable', `the commit ${oid} is damaged`);
  return {
    ...{ oid, tree, parents },
    author: fields.get('author') ?? '',
    committer: fields.get('committer') ?? '',
    encoding: fields.get('encoding'),
    message: object.subarray(end + 2),
  };
}

/** Where the first line that is empty is; the whole where none is. */
function headerEnd(object: Uint8Array): number {
  for (let at = object.indexOf(0x0a); at >= 0; at = object.indexOf(0x0a, at + 1))
    if (object[at + 1] === 0x0a) return at;
  return object.length;
}

/** A character for each byte. A decoder of latin1 takes some bytes for other characters (WHATWG). */
function charactersOf(bytes: Uint8Array): string {
  const atOnce = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += atOnce)
    text += String.fromCharCode(...bytes.subarray(at, at + atOnce));
  return text;
}

/** When somebody wrote or made it, in seconds since 1970; 0 where that is not told. */
export function secondsOf(person: string): number {
  const [, digits] = /> *(\d{1,15}) [^>]*$/.exec(person) ?? [];
  return Number(digits ?? 0);
}

function tooMany(oid: string): SandboxError {
  return new SandboxError(
    'limit-exceeded',
    `the commit ${oid} has more than ${limits.gitCommitParents} parents`,
    { details: { remedy: 'Use git in a machine or on a host.' } },
  );
}
