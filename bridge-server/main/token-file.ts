import { open, readFile, rename, rm } from 'node:fs/promises';
import { SandboxError } from '../../protocol/errors.ts';
import type { TokenRecords } from '../token-contract.ts';

/**
 * Sees to a file that holds a token for everything, made at the first start: for a service, of which
 * nobody reads the output. Only its owner may read it. Answers whether it was made now.
 * @throws invalid-argument when what is there is no token of this bridge
 */
export async function provideTokenFile(path: string, tokens: TokenRecords): Promise<boolean> {
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept === undefined) {
    await writeToken(path, tokens);
    return true;
  }
  const owner = tokens.check(kept.trim());
  if (owner?.scope === 'all' && owner.access === 'write') return false;
  throw new SandboxError(
    'invalid-argument',
    `${path} holds no token for everything of this bridge; remove it to have another made`,
    { details: { path } },
  );
}

/** The file is there whole or not at all; a token that cannot be written down opens nothing. */
async function writeToken(path: string, tokens: TokenRecords): Promise<void> {
  const { id, token } = tokens.create({ name: 'token file', scope: 'all' });
  const unfinished = `${path}.new`;
  try {
    await rm(unfinished, { force: true });
    {
      await using file = await open(unfinished, 'wx', 0o600);
      await file.writeFile(`${token}\n`);
      await file.sync();
    }
    await rename(unfinished, path);
  } catch (error) {
    tokens.revoke(id);
    throw error;
  }
}
