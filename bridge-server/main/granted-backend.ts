import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox.ts';
import type { Grant } from '../token-contract.ts';
import { GrantedConnection } from './granted-connection.ts';

/** `backend` as somebody sees it who has `grant`: what that does not cover is not there, or refused. */
export function grantedBackend(backend: SandboxBackend, grant: Grant): SandboxBackend {
  const { scope, access } = grant;
  if (scope === 'all' && access === 'write') return backend;
  const sees = (id: string) => scope === 'all' || scope.sandboxes.includes(id);
  const only = async <T>(id: string, use: () => Promise<T>): Promise<T> => {
    if (sees(id)) return use();
    throw new SandboxError('not-found', `Cannot find sandbox "${id}"`, { details: { id } });
  };
  return {
    create: refuseToCreate,
    open: (id, options, onProgress) =>
      only(id, async () => new GrantedConnection(await backend.open(id, options, onProgress), grant)),
    connect: (id) => only(id, async () => new GrantedConnection(await backend.connect(id), grant)),
    exportTar: (id, options) => only(id, () => backend.exportTar(id, options)),
    openIntake: refuseToCreate,
    list: async () => (await backend.list()).filter(({ id }) => sees(id)),
    images: async () => {
      if (scope === 'all' && backend.images) return backend.images();
      throw refusal('list the images');
    },
    setTimeout: (id, timeoutMs) =>
      only(id, async () => {
        if (access !== 'write' || !backend.setTimeout) throw refusal('give a sandbox an end');
        return backend.setTimeout(id, timeoutMs);
      }),
    delete: (id) =>
      only(id, async () => {
        if (access !== 'write') throw refusal('delete a sandbox');
        await backend.delete(id);
      }),
  };
}

async function refuseToCreate(): Promise<never> {
  throw refusal('create a sandbox');
}

function refusal(what: string): SandboxError {
  return new SandboxError('forbidden', `Cannot ${what}: this token does not allow it`);
}
