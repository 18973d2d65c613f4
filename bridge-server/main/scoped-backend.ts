import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend, SandboxConnection } from '../../protocol/sandbox.ts';

/** `backend` as somebody sees it who may use one sandbox only: there are no others. */
export function scopedBackend(backend: SandboxBackend, sandbox: string): SandboxBackend {
  const only = async <T>(id: string, use: () => Promise<T>): Promise<T> => {
    if (id === sandbox) return use();
    throw new SandboxError('not-found', `Cannot find sandbox "${id}"`, { details: { id } });
  };
  return {
    create: refuseToCreate,
    open: (id, options, onProgress) =>
      only(id, async () => withoutFork(await backend.open(id, options, onProgress))),
    connect: (id) => only(id, async () => withoutFork(await backend.connect(id))),
    exportTar: (id, options) => only(id, () => backend.exportTar(id, options)),
    openIntake: refuseToCreate,
    list: async () => (await backend.list()).filter(({ id }) => id === sandbox),
    delete: (id) => only(id, () => backend.delete(id)),
  };
}

async function refuseToCreate(): Promise<never> {
  throw new SandboxError('forbidden', 'This token is for one sandbox, and cannot create others');
}

/** The same connection, which makes no other sandbox. */
function withoutFork(connection: SandboxConnection): SandboxConnection {
  return new Proxy(connection, {
    get(target, name) {
      if (name === 'fork') return refuseToCreate;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
