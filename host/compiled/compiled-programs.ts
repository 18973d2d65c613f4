import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { inRepository } from '../repository.ts';

/** What a compiled file is made from and by. */
export interface CompiledOrigin {
  /** A digest of its sources and flags, without the compiler. */
  readonly madeOf: string;
  /** First line of `gcc --version`: another compiler makes other bytes of the same sources. */
  readonly compiler: string;
  /** For people: the version of a source that is not in this repository. */
  readonly source?: string | undefined;
}

/** Where they are, and what lists them there. */
const ownFolder = inRepository('guest', 'compiled');
const listName = 'compiled.json';

interface CompiledFolder {
  readonly folder?: string;
}

/**
 * The path of a file that comes compiled with the sources, so that a first start needs no compiler. Nothing where the sources
 * have changed since: then it is compiled into the cache.
 */
export async function findCompiled(
  name: string,
  madeOf: string,
  { folder = ownFolder }: CompiledFolder = {},
): Promise<string | undefined> {
  const origin = (await readOrigins(folder))[name];
  return origin?.madeOf === madeOf ? join(folder, name) : undefined;
}

/** Puts a compiled file among those that come with the sources. */
export async function keepCompiled(
  name: string,
  bytes: Uint8Array,
  { madeOf, compiler, source }: CompiledOrigin,
  { folder = ownFolder }: CompiledFolder = {},
): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await chmod(path, 0o755);
  const origins = { ...(await readOrigins(folder)), [name]: { madeOf, compiler, source } };
  const sorted = Object.fromEntries(Object.entries(origins).sort(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(join(folder, listName), `${JSON.stringify(sorted, undefined, 2)}\n`);
}

/**
 * Holds the kept file `name` to what its sources have just been compiled to.
 * @throws conflict when it differs, unsupported when another compiler was used, so that nothing can be said
 */
export async function verifyCompiled(
  name: string,
  bytes: Uint8Array,
  made: CompiledOrigin,
  { folder = ownFolder }: CompiledFolder = {},
): Promise<void> {
  const kept = (await readOrigins(folder))[name];
  if (kept?.madeOf !== made.madeOf) throw differs(name, 'its sources have changed since it was compiled');
  if (kept.compiler !== made.compiler) {
    const message = `Cannot verify guest/compiled/${name}: it was made by ${kept.compiler}, and this machine has ${made.compiler}`;
    throw new SandboxError('unsupported', message, { details: { feature: 'compiler' } });
  }
  if (!(await readFile(join(folder, name))).equals(bytes))
    throw differs(name, 'the same sources and the same compiler make other bytes');
}

async function readOrigins(folder: string): Promise<Record<string, CompiledOrigin>> {
  const text = await readFile(join(folder, listName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A package has none for programs: it brings those of its own.
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return JSON.parse(text);
}

function differs(name: string, why: string): SandboxError {
  return new SandboxError('conflict', `guest/compiled/${name} is not what its sources make: ${why}`);
}
