import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** A part of what git takes for the name of a branch, a tag or a remote; never an option. */
const refPattern = /^[\p{L}\p{N}_][\p{L}\p{N}_./+@#=-]*$/u;
/** That, or an ancestor of it: `HEAD~2`, `main^`. */
const revisionPattern = /^[\p{L}\p{N}_][\p{L}\p{N}_./+@#=-]*(?:[~^]\d{0,4})*$/u;

/** Whether it can be the name of a branch or a tag (git-check-ref-format). */
export function isRefName(text: string): boolean {
  return text.length <= limits.gitRefCharacters && refPattern.test(text) && isPlain(text);
}

/** Whether it is the full id of a commit. */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** @throws invalid-argument */
export function assertRefName(text: string | undefined, what: string): void {
  if (text === undefined || isRefName(text)) return;
  throw new SandboxError('invalid-argument', `${what}: ${JSON.stringify(text)} is no name that git takes`);
}

/** @throws invalid-argument */
export function assertRevision(text: string | undefined, what: string): void {
  const isFit = text === undefined || (text.length <= limits.gitRefCharacters && revisionPattern.test(text));
  if (isFit && isPlain(text ?? '')) return;
  throw new SandboxError('invalid-argument', `${what}: ${JSON.stringify(text)} is no branch, tag or commit`);
}

/** An absolute path of plain names. @throws invalid-argument */
export function assertWorkingTree(path: string, what: string): void {
  const parts = path.split('/').slice(1);
  const isFit =
    path.startsWith('/') && !path.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part));
  if (isFit) return;
  throw new SandboxError(
    'invalid-argument',
    `${what}: ${JSON.stringify(path)} is no absolute path of plain names`,
  );
}

/** Relative to the working tree, and neither out of it nor into what git keeps there. @throws invalid-argument */
export function assertTreePath(path: string, what: string): void {
  const parts = path.split('/');
  const isFit =
    path === '.' || (!path.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part)));
  if (isFit && parts[0]?.toLowerCase() !== '.git') return;
  throw new SandboxError(
    'invalid-argument',
    `${what}: ${JSON.stringify(path)} is no path in the working tree`,
  );
}

function isPlain(text: string): boolean {
  return !/\.\.|@\{|\/\/|\.lock(?:\/|$)|\/$|\.$|\/\./.test(text);
}
