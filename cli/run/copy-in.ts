import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';

/**
 * Copies a folder of this host into a sandbox: `FOLDER`, below the user's home under its own name, or `FOLDER:PATH`. It is a
 * copy: what changes there changes nothing here.
 * @throws not-found, invalid-argument (sockets and devices), storage-full, unsupported without tar, aborted
 */
export async function copyIn(
  text: string,
  {
    sandbox,
    directory,
    signal,
  }: { readonly sandbox: Sandbox; readonly directory: string; readonly signal: AbortSignal },
): Promise<void> {
  const at = text.lastIndexOf(':');
  const folder = resolve(directory, at > 0 ? text.slice(0, at) : text);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    throw new SandboxError('not-found', `Cannot copy ${folder} in: it is no folder of this host`);
  }
  const path = at > 0 ? text.slice(at + 1) : basename(folder);
  const made = await sandbox.run('mkdir -p -- "$TARGET" && cd -- "$TARGET" && pwd', {
    envs: { TARGET: path },
    signal,
  });
  if (made.exitCode !== 0) {
    throw new SandboxError('invalid-argument', `Cannot copy ${folder} to ${path}: ${made.stderr.trim()}`);
  }
  await sandbox.importTar(packed(folder), { path: made.stdout.replace(/\n$/, ''), signal });
}

async function* packed(folder: string): AsyncGenerator<Uint8Array, void> {
  const tar = spawn('tar', ['-C', folder, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(tar, 'close');
  closed.catch(() => undefined); // It is told below.
  let said = '';
  tar.stderr.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(0, 4096);
  });
  try {
    for await (const bytes of tar.stdout) yield bytes;
    const [code] = await closed.catch((cause) => {
      throw new SandboxError('unsupported', 'Cannot copy a folder in without tar: install it', { cause });
    });
    if (code !== 0) throw new SandboxError('invalid-argument', `Cannot copy ${folder} in: ${said.trim()}`);
  } finally {
    tar.kill();
  }
}
