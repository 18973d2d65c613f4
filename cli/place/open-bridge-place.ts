import { readFile } from 'node:fs/promises';
import { SandboxError } from '../../protocol/errors.ts';
import { connect } from '../../sdk/connect.ts';
import type { CliContext } from '../context.ts';
import type { Place, PlaceOptions } from './place.ts';

/** The sandboxes of a bridge. @throws unauthenticated without a token; as `connect` */
export async function openBridgePlace(
  url: string,
  { tokenFile }: PlaceOptions,
  { environment, signal }: CliContext,
): Promise<Place> {
  const token = tokenFile === undefined ? environment.COPPICE_TOKEN : await readToken(tokenFile);
  if (!token) {
    throw new SandboxError(
      'unauthenticated',
      `No token for ${url}: give --token-file FILE, or set COPPICE_TOKEN`,
    );
  }
  const backend = await connect({ url, token, signal });
  return {
    type: 'bridge',
    backend,
    name: url,
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    const why =
      cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'there is none' : cause;
    throw new SandboxError('not-found', `Cannot read the token file ${file}: ${why}`, { cause });
  }
}
