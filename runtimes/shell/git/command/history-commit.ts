import type { Repository } from '../../../../sandbox/git/library/repository.ts';

/** Who wrote a commit or made it, and when. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly seconds: number;
  /** Minutes that their clock is ahead of UTC. */
  readonly zoneMinutes: number;
}

export interface HistoryCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

interface LibrarySignature {
  readonly name: string;
  readonly email: string;
  readonly timestamp: number;
  readonly timezoneOffset: number;
}

export async function readHistoryCommit({ library, at }: Repository, oid: string): Promise<HistoryCommit> {
  const { commit } = await library.readCommit({ ...at, oid });
  return {
    id: oid,
    tree: commit.tree,
    parents: commit.parent,
    message: commit.message,
    author: signatureOf(commit.author),
    committer: signatureOf(commit.committer),
  };
}

export function signatureOf({ name, email, timestamp, timezoneOffset }: LibrarySignature): Signature {
  return { name, email, seconds: timestamp, zoneMinutes: -timezoneOffset || 0 };
}

/** As the library takes it. */
export function librarySignature({ name, email, seconds, zoneMinutes }: Signature): LibrarySignature {
  return { name, email, timestamp: seconds, timezoneOffset: -zoneMinutes || 0 };
}

/** `Ada <ada@example.org> 1767225600 +0000`, as in a log of refs. */
export function signatureLine({ name, email, seconds, zoneMinutes }: Signature): string {
  return `${name} <${email}> ${seconds} ${zoneText(zoneMinutes)}`;
}

/** `+0130` */
export function zoneText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(rest).padStart(2, '0')}`;
}

/** The first paragraph of a message, in one line. */
export function subjectOf(message: string): string {
  const [subject] = divided(message);
  return subject.map((line) => line.trim()).join(' ');
}

/** What comes after the first paragraph. */
export function bodyOf(message: string): string {
  const [, body] = divided(message);
  return body.join('\n');
}

function divided(message: string): [subject: string[], body: string[]] {
  const lines = message.split('\n');
  const isBlank = (line: string) => line.trim() === '';
  const from = lines.findIndex((line) => !isBlank(line));
  if (from < 0) return [[], []];
  let to = from;
  while (to < lines.length && !isBlank(lines[to] ?? '')) to += 1;
  let rest = to;
  while (rest < lines.length && isBlank(lines[rest] ?? '')) rest += 1;
  return [lines.slice(from, to), lines.slice(rest)];
}
