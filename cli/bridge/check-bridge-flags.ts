import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { assertFolderIsFree } from '../../bridge-server/main/hold-folder.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { assertKnown } from '../../images/provide-image.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { BridgeFlags } from './bridge-command.ts';

/**
 * Finds out whether this machine has what the flags name, by trying: a start may build an image first,
 * and nobody should wait for that to be told. Leaves nothing behind. @throws invalid-argument, busy
 */
export async function checkBridgeFlags(
  flags: BridgeFlags,
  { command }: { readonly command: string },
): Promise<void> {
  for (const image of flags.images) await checkImage(image);
  await checkRoot(flags.folder);
  assertFolderIsFree(flags.folder);
  if (flags.tokenFile !== undefined) await checkTokenFile(flags.tokenFile);
  await checkAddress(flags, command);
}

async function checkImage(image: string): Promise<void> {
  try {
    await assertKnown(image, new CacheFolder(cachePath()));
  } catch (cause) {
    throw refuse(`--image is "${image}": ${SandboxError.from(cause).message}`, cause);
  }
}

/** It is made if it is not there, in the nearest folder above that is. */
async function checkRoot(folder: string): Promise<void> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      return await access(at, constants.W_OK | constants.X_OK);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && at !== dirname(at)) continue;
      throw refuse(`--root is "${folder}": this user cannot write in ${at}; give a folder of its own`, cause);
    }
  }
}

async function checkTokenFile(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  try {
    await access(folder);
  } catch (cause) {
    throw refuse(`--token-file is "${path}": there is no folder ${folder} that can be used; make it`, cause);
  }
}

async function checkAddress(
  { host, port }: Pick<BridgeFlags, 'host' | 'port'>,
  command: string,
): Promise<void> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw cannotListen({ host, port, command, cause });
  } finally {
    // Of one that does not listen, nothing is to be closed, and the call says so.
    server.close(() => undefined);
  }
}

/** What to do about an address that cannot be listened on. */
function cannotListen(of: { host: string; port: number; command: string; cause: unknown }): SandboxError {
  const { host, port, command, cause } = of;
  const { code, message } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE': {
      const remedy = `try: ${command} --port ${port + 1}`;
      return new SandboxError('busy', `Port ${port} is in use; ${remedy}`, { cause });
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return refuse(
        `--host is "${host}", which is no address of this machine; give one, or 0.0.0.0 for all`,
        cause,
      );
    case 'EACCES':
      return refuse(
        `--port is ${port}, for which this user lacks the privilege; give one from 1024 on`,
        cause,
      );
    default:
      return refuse(`Cannot listen at ${host}, port ${port}: ${message}`, cause);
  }
}

function refuse(message: string, cause: unknown): SandboxError {
  return new SandboxError('invalid-argument', message, { cause });
}
