import { SandboxError } from '../../../protocol/errors.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { hostLimits } from '../limits.ts';
import { entriesOf } from './file-entries.ts';
import { readMessagePack } from './message-pack.ts';
import { tarOf } from './tar-entries.ts';

/** The first character of the JSON that the package makes of a tree; a snapshot begins with a MessagePack map. */
const openBrace = 0x7b;

/**
 * Puts a tree, as the package or `@webcontainer/snapshot` packs it, into a directory, which is made where it is not there:
 * all of it or nothing. @throws invalid-argument that names what is wrong, limit-exceeded, storage-full
 */
export async function mountTree(sandbox: Sandbox, packed: Uint8Array, path: string): Promise<void> {
  if (packed.length > hostLimits.mountBytes) {
    const message = `Cannot mount ${packed.length} bytes at once: mount parts of at most ${hostLimits.mountBytes} bytes`;
    throw new SandboxError('limit-exceeded', message, {
      details: { limitBytes: hostLimits.mountBytes },
    });
  }
  const tree = packed[0] === openBrace ? parseJson(packed) : readMessagePack(packed);
  const entries = [...entriesOf(tree)];
  await sandbox.files.makeDirectory(path);
  if (entries.length > 0) await sandbox.importTar(tarOf(entries), { path });
}

function parseJson(packed: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(packed));
  } catch (cause) {
    throw new SandboxError('invalid-argument', 'Cannot mount the tree: it is damaged', { cause });
  }
}
