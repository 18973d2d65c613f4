import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Repository } from './repository.ts';

/** A line of the log of a ref (gitrepository-layout, `logs`). */
export interface ReflogEntry {
  readonly older: string;
  readonly newer: string;
  /** `Ada <ada@example.org> 1767225600 +0000` */
  readonly by: string;
  readonly message: string;
}

export const noCommit: string = '0'.repeat(40);

/** The oldest first; none where there is no log. */
export async function readReflog(repository: Repository, ref: string): Promise<ReflogEntry[]> {
  const { fs, dir } = repository.at;
  const text = String(
    await fs.promises.readFile(`${gitDirectory(repository, dir)}/logs/${ref}`, 'utf8').catch(() => ''),
  );
  return text.split('\n').flatMap((line) => {
    const [, older, newer, by, message = ''] =
      /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\t]*)(?:\t(.*))?$/.exec(line) ?? [];
    return older === undefined || newer === undefined || by === undefined
      ? []
      : [{ older, newer, by, message }];
  });
}

/** Adds a line. Where the log is long, its oldest lines go, unless they are all that holds something: `keepsAll`. @throws limit-exceeded */
export async function addToReflog(
  repository: Repository,
  ref: string,
  entry: ReflogEntry,
  { keepsAll = false }: { readonly keepsAll?: boolean } = {},
): Promise<void> {
  await writeReflog(repository, ref, [...(await readReflog(repository, ref)), entry], { keepsAll });
}

/** Replaces the log. @throws limit-exceeded */
export async function writeReflog(
  repository: Repository,
  ref: string,
  entries: readonly ReflogEntry[],
  { keepsAll = false }: { readonly keepsAll?: boolean } = {},
): Promise<void> {
  const { promises } = repository.at.fs;
  const path = `${gitDirectory(repository, repository.at.dir)}/logs/${ref}`;
  const lines = entries.map(
    ({ older, newer, by, message }) => `${older} ${newer} ${by}\t${message.replaceAll(/\s+/g, ' ').trim()}\n`,
  );
  let characters = lines.reduce((sum, line) => sum + line.length, 0);
  let from = 0;
  while (characters > limits.gitReflogCharacters) {
    if (keepsAll) {
      throw new SandboxError(
        'limit-exceeded',
        `the log of ${ref} has more than ${limits.gitReflogCharacters} characters`,
        {
          details: { remedy: 'Drop some of its entries first.' },
        },
      );
    }
    characters -= lines[from]?.length ?? characters;
    from += 1;
  }
  await makeAbove(promises, path);
  await promises.writeFile(path, lines.slice(from).join(''));
}

/** Where git keeps what it knows: `.git`, or the repository itself where it has no working tree. */
function gitDirectory({ at }: Repository, directory: string): string {
  return at.gitdir ?? `${directory}/.git`;
}

async function makeAbove(files: Repository['at']['fs']['promises'], path: string): Promise<void> {
  const above = path.slice(0, path.lastIndexOf('/'));
  const isThere = await files.lstat(above).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await makeAbove(files, above);
  await files.mkdir(above);
}
