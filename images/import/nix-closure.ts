import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { maxImageBytes } from '../output/seal-root.ts';
import { importFailure } from './image-origin.ts';

/** Nix's digits leave out e, o, t and u (nix/src/libutil/hash.cc). */
const digits = '[0-9a-df-np-sv-z]';
const storeName = new RegExp(`^(${digits}{32})-.`);
const mention = new RegExp(`(${digits}{32})-`, 'g');
/** As long as what a mention may be cut into by the end of a piece. */
const carriedCharacters = 32;
const closurePaths = 20_000;
const outputBytes = 4 * 1024 * 1024;

/** Whether a folder lies in a Nix store, or is a link to what does: `/nix/store/HASH-NAME`. */
export async function isNixOutput(path: string): Promise<boolean> {
  const found = await realpath(path).catch(() => path);
  return storeName.test(basename(found)) && basename(dirname(found)) === 'store';
}

/**
 * The paths of the store that a build output needs at run time, itself among them, in ascending order. Nix knows them
 * where it is installed; elsewhere they are those that its files mention, and theirs, which is how Nix finds them.
 * @throws invalid-argument for more than 20,000 paths or 8 GiB, or what cannot be read
 */
export async function nixClosure(output: string): Promise<string[]> {
  const path = await realpath(output);
  return (await askNix(path)) ?? scanClosure(path);
}

/** Nothing where there is no Nix, or it does not know the path, as in a copy of a store. */
async function askNix(path: string): Promise<string[] | undefined> {
  const asked = promisify(execFile)('nix-store', ['--query', '--requisites', path], {
    maxBuffer: outputBytes,
  });
  const answer = await asked.catch(() => undefined);
  return answer?.stdout.split('\n').filter(Boolean).toSorted();
}

async function scanClosure(path: string): Promise<string[]> {
  const store = dirname(path);
  const paths = new Map<string, string>();
  for (const name of await readdir(store)) {
    const [, hash] = storeName.exec(name) ?? [];
    if (hash !== undefined) paths.set(hash, join(store, name));
  }
  const closure = new Set([path]);
  let readBytes = 0;
  const see = (text: string) => {
    for (const [, hash = ''] of text.matchAll(mention)) {
      const found = paths.get(hash);
      if (found !== undefined) closure.add(found);
    }
    readBytes += text.length;
    if (closure.size > closurePaths) throw importFailure(path, `it needs more than ${closurePaths} paths`);
    if (readBytes > maxImageBytes) throw importFailure(path, `it needs more than ${maxImageBytes} bytes`);
  };
  // What is added on the way is gone through as well.
  for (const each of closure) await scanPath(each, see);
  return [...closure].toSorted();
}

async function scanPath(path: string, see: (text: string) => void): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') return undefined;
    throw importFailure(path, error.message, error);
  });
  if (!entries) return scanFile(path, see);
  for (const entry of entries) {
    const below = join(path, entry.name);
    if (entry.isSymbolicLink()) see(await readlink(below));
    else if (entry.isDirectory()) await scanPath(below, see);
    else if (entry.isFile()) await scanFile(below, see);
  }
}

/** A mention may be cut by the end of a piece. */
async function scanFile(path: string, see: (text: string) => void): Promise<void> {
  let carried = '';
  for await (const piece of createReadStream(path, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const text = carried + piece;
    see(text);
    carried = text.slice(-carriedCharacters);
  }
}
