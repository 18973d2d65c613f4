import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { backendTable } from '../../protocol/sandbox/backend-table.ts';
import type { Grant } from '../token-contract.ts';
import { assertAllowed, assertSees, sees } from './allow.ts';
import { restrictConnection } from './restrict-connection.ts';

/** `backend` as a client with `grant` sees it: sandboxes that the grant does not cover are not there. */
export function restrictBackend(backend: SandboxBackend, grant: Grant): SandboxBackend {
  const { scope, access } = grant;
  if (scope === 'all' && access === 'write') return backend;
  const allow = (method: keyof SandboxBackend, id?: string): void => {
    if (id !== undefined) assertSees(grant, id);
    assertAllowed(grant, backendTable[method], `backend.${method}`);
  };
  const { images, setTimeout, rename } = backend;
  return {
    create: async (ask, onProgress) => {
      allow('create');
      return backend.create(ask, onProgress);
    },
    open: async (ask, onProgress) => {
      allow('open', ask.id);
      return restrictConnection(await backend.open(ask, onProgress), grant);
    },
    connect: async (ask) => {
      allow('connect', ask.id);
      return restrictConnection(await backend.connect(ask), grant);
    },
    exportTar: async (ask) => {
      allow('exportTar', ask.id);
      return backend.exportTar(ask);
    },
    openImport: async (ask) => {
      allow('openImport');
      return backend.openImport(ask);
    },
    list: async () => (await backend.list()).filter(({ id }) => sees(grant, id)),
    delete: async (ask) => {
      allow('delete', ask.id);
      await backend.delete(ask);
    },
    ...(images && {
      images: async () => {
        allow('images');
        return images.call(backend);
      },
    }),
    ...(setTimeout && {
      setTimeout: async (ask) => {
        allow('setTimeout', ask.id);
        return setTimeout.call(backend, ask);
      },
    }),
    ...(rename && {
      rename: async (ask) => {
        allow('rename', ask.id);
        return rename.call(backend, ask);
      },
    }),
  };
}
