import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { callMethod, makeFacets } from '../../protocol/sandbox/tables.ts';
import type { Grant } from '../token-contract.ts';
import { assertAllowed, assertSees } from './allow.ts';

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
        if (typeof to === 'object') assertSees(grant, to.sandbox);
        return facets.history.diff(ask);
      },
    },
    recording: {
      ...facets.recording,
      // What terminals and commands of others showed is more than the files and their history.
      save: async (ask) => {
        if (grant.access !== 'write' && ask.terminals !== false) throw refuseOutput();
        return facets.recording.save(ask);
      },
    },
    close: (options) => connection.close(options),
  };
}

function refuseOutput(): SandboxError {
  const why = 'this token is for reading only. Leave out what terminals showed (`terminals: false`)';
  const details = { method: 'recording.save' };
  return new SandboxError('forbidden', `Cannot save the session with what terminals showed: ${why}`, {
    details,
  });
}
