import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { Cause } from '../../tree/history/snapshot-record.ts';

const titleCharacters = 72;
/** The end of the year 9999: dates of other tools end there. */
const lastSeconds = 253_402_300_799;

/** The commit of a snapshot: when it was taken, by which sandbox, and why. */
export function commitText(
  snapshot: SnapshotInfo,
  options: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly sandbox: Pick<SandboxInfo, 'id' | 'name'>;
  },
): string {
  const { tree, parents, sandbox } = options;
  const name = personName(sandbox.name) || 'sandbox';
  const id = personName(sandbox.id).replaceAll(/[^\w.-]+/g, '-') || 'sandbox';
  const seconds = Math.min(lastSeconds, Math.max(0, Math.floor(snapshot.takenAtMs / 1000)));
  const person = `${name} <${id}@sandbox.invalid> ${seconds} +0000`;
  return [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${person}`,
    `committer ${person}`,
    '',
    messageOf(snapshot),
  ].join('\n');
}

function messageOf({ id, cause }: SnapshotInfo): string {
  const [title = '', ...rest] = plain(textOf(cause)).trim().split('\n');
  const isLong = title.length > titleCharacters;
  const first =
    (isLong ? `${title.slice(0, titleCharacters - 1).toWellFormed()}…` : title) || 'Files changed';
  const body = [...(isLong ? [title] : []), ...rest].join('\n').trim();
  return [first, '', ...(body === '' ? [] : [body, '']), `Snapshot: ${id}`, ''].join('\n');
}

function textOf(cause: Cause): string {
  switch (cause.type) {
    case 'image':
      return `Image ${cause.image}`;
    case 'capture':
      return cause.commands.join('\n');
    case 'manual':
      return cause.label;
    case 'checkout':
      return `Checkout from ${cause.from}`;
    case 'fork':
      return `Fork of sandbox ${cause.sandbox}`;
    case 'import':
      return `Import of ${cause.source}`;
  }
}

/** Lines of text from a sandbox (H-9), without what would end a commit early or control a terminal. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ');
}

/** What git takes as a part of a person: no brackets, no line ends, and none of what it would cut off. */
function personName(text: string): string {
  return plain(text)
    .replaceAll(/[<>\s]+/g, ' ')
    .replaceAll(/^[ .,:;"'\\]+|[ .,:;"'\\]+$/g, '');
}
