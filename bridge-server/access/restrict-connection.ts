import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { callMethod, makeFacets } from '../../protocol/sandbox/tables.ts';
import type { Grant } from '../token-contract.ts';
import { assertAllowed, sees } from './allow.ts';

/** A connection as far as a token allows it: the tables say of each method what it needs. */
export function restrictConnection(connection: SandboxConnection, grant: Grant): SandboxConnection {
  const facets = makeFacets(({ facet, method, row }) => async (ask, listener) => {
    assertAllowed(grant, row, `${facet}.${method}`);
    return callMethod(connection, { facet, method }, ask, listener);
  });
  return {
    ...facets,
    history: {
      ...facets.history,
      // The one method that names another sandbox.
      diff: async (ask) => {
        const { to } = ask;
        if (typeof to === 'object' && !sees(grant, to.sandbox)) throw unknownSandbox(to.sandbox);
        return facets.history.diff(ask);
      },
    },
    close: () => connection.close(),
  };
}

/** As of one that is not there: a token must not tell which others there are. */
function unknownSandbox(id: string): SandboxError {
  return new SandboxError('not-found', `Cannot find sandbox "${id}"`, { details: { id } });
}
