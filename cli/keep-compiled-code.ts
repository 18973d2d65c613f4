import { lstatSync, mkdirSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cachePath } from '../host/cache/cache-folder.ts';

/**
 * Has Node keep the compiled code of modules that are loaded from now on in the user's cache, so that the next command does
 * not compile them. Without a folder that nobody else can write, a command starts later and nothing else.
 */
export function keepCompiledCode(): void {
  try {
    const folder = compiledCodeFolder(cachePath());
    // Node 20 has none: it gets as far as being told that it is too old.
    if (folder !== undefined) modules.enableCompileCache?.(folder);
  } catch {
    // A user without a home has no cache either.
  }
}

/**
 * A folder in `cache` that is made for compiled code; `undefined` where another user could put code into it, which Node would run: it
 * looks neither at the owner nor at the mode. Root with the home of another user, as by `sudo -E`, has none.
 * @throws what the system says where it cannot be made
 */
export function compiledCodeFolder(cache: string, home: string = homedir()): string | undefined {
  if (process.getuid?.() === 0 && !isOwn(home)) return undefined;
  const folder = join(cache, 'compiled');
  mkdirSync(cache, { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return isOwn(cache) && isOwn(folder) ? folder : undefined;
}

/** In a namespace of users both ids are those of that namespace. */
function isOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}
