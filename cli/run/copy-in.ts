import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { packFiles } from '../transfer/pack-files.ts';

/**
 * Copies a folder of this host into a sandbox: `FOLDER`, below the user's home under its own name, or `FOLDER:PATH`. It is a
 * copy: what changes there changes nothing here. Resolves to what is left out: sockets, fifos and devices.
 * @throws not-found, as `Sandbox.importTar` and `packFiles`
 */
export async function copyIn(
  text: string,
  {
    sandbox,
    directory,
    signal,
  }: { readonly sandbox: Sandbox; readonly directory: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { folder, path } = await findMount(text, directory);
  const made = await sandbox.run('mkdir -p -- "$TARGET" && cd -- "$TARGET" && pwd', {
    envs: { TARGET: path },
    signal,
  });
  if (made.exitCode !== 0) {
    throw new SandboxError('invalid-argument', `Cannot copy ${folder} to ${path}: ${made.stderr.trim()}`);
  }
  const totals = { files: 0, bytes: 0, leftOut: [] };
  await sandbox.importTar(packFiles(folder, { name: '.', totals, signal }), {
    path: made.stdout.replace(/\n$/, ''),
    signal,
  });
  return totals.leftOut;
}

/** The folder of this host that `FOLDER` or `FOLDER:PATH` names, and where it goes. @throws not-found */
export async function findMount(
  text: string,
  directory: string,
): Promise<{ readonly folder: string; readonly path: string }> {
  const whole = resolve(directory, text);
  const at = text.lastIndexOf(':');
  if (at <= 0 || (await isFolder(whole))) {
    if (await isFolder(whole)) return { folder: whole, path: basename(whole) };
    throw noFolder(whole);
  }
  const folder = resolve(directory, text.slice(0, at));
  if (!(await isFolder(folder))) throw noFolder(folder);
  return { folder, path: text.slice(at + 1) };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function noFolder(path: string): SandboxError {
  return new SandboxError('not-found', `Cannot copy ${path} in: it is no folder of this host`);
}
