import { readCommitParts, secondsOf } from '../../../../sandbox/git/library/read-commit.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { decodeText, type ShellText } from '../../../../shell/text.ts';

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

/** A commit, its text decoded as it says it is encoded. @throws limit-exceeded, and what the library throws */
export async function readHistoryCommit(repository: Repository, oid: string): Promise<HistoryCommit> {
  const { tree, parents, author, committer, encoding, message } = await readCommitParts(repository, oid);
  const decode = decoderOf(encoding);
  return {
    ...{ id: oid, tree, parents, message: decode(message) },
    author: personOf(author, decode),
    committer: personOf(committer, decode),
  };
}

function decoderOf(encoding: string | undefined): (bytes: Uint8Array) => ShellText {
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return decodeText;
  try {
    const decoder = new TextDecoder(encoding);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return decodeText;
  }
}

/** As git reads it: what is no name, address or date there is none. */
function personOf(line: string, decode: (bytes: Uint8Array) => ShellText): Signature {
  const isAscii = !/\P{ASCII}/u.test(line);
  const text = isAscii ? line : decode(Uint8Array.from(line, (unit) => unit.charCodeAt(0)));
  const [, name = '', email = ''] = /^([^<]*)<([^>]*)>/.exec(text) ?? [];
  const [, sign, hours = 0, minutes = 0] = /> *\d+ ([+-])(\d\d)(\d\d)$/.exec(text) ?? [];
  const zone = Number(hours) * 60 + Number(minutes);
  return {
    ...{ name: name.trim(), email: email.trim(), seconds: secondsOf(line) },
    zoneMinutes: (sign === '-' ? -zone : zone) || 0,
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
