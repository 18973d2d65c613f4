import type { ErrorCode, ErrorData } from '../../../protocol/errors.ts';

/** An error for people: what failed is `error.message`; this adds what was lost and what to do. */
export interface ErrorAdvice {
  readonly lost: string;
  readonly advice: string;
}

const nothingLost = 'Nothing was lost.';
const keptSnapshots = 'Every snapshot is kept.';

const table: { readonly [code in ErrorCode]: ErrorAdvice } = {
  'invalid-argument': { lost: nothingLost, advice: 'Change what was entered and try again.' },
  'not-found': { lost: nothingLost, advice: 'It may have been renamed or deleted since; look again.' },
  'already-exists': { lost: nothingLost, advice: 'Choose another name.' },
  conflict: { lost: nothingLost, advice: 'It changed meanwhile; try again.' },
  busy: {
    lost: nothingLost,
    advice: 'Open it here to look only, or fork it and go on with a copy of your own.',
  },
  unsupported: { lost: nothingLost, advice: 'This runtime cannot do it; another one may.' },
  'corrupt-object': {
    lost: 'This snapshot cannot be used; the others can.',
    advice: 'Choose another snapshot.',
  },
  'missing-object': {
    lost: 'This snapshot cannot be used; the others can.',
    advice: 'Choose another snapshot.',
  },
  'storage-full': {
    lost: 'Nothing already saved was touched; newer changes are not saved.',
    advice: 'Delete snapshots or other sandboxes, free what they held, or download the files.',
  },
  'read-only': { lost: nothingLost, advice: 'Fork it to go on with a copy of your own.' },
  'limit-exceeded': { lost: nothingLost, advice: 'Use something smaller.' },
  timeout: { lost: keptSnapshots, advice: 'Try again.' },
  aborted: { lost: nothingLost, advice: 'Start it again when you like.' },
  'machine-failed': {
    lost: `${keptSnapshots} Running programs ended.`,
    advice: 'Go back to a snapshot; the machine starts again from there.',
  },
  'connection-lost': { lost: keptSnapshots, advice: 'Reopen the sandbox.' },
  'asset-unavailable': {
    lost: nothingLost,
    advice: 'Check the connection to the server of this page, then try again.',
  },
  'version-mismatch': {
    lost: nothingLost,
    advice: 'Reload the page to get matching parts; the files can still be downloaded.',
  },
  'protocol-violation': { lost: nothingLost, advice: 'Reload the page.' },
  unauthenticated: { lost: nothingLost, advice: 'Connect again with a token that is valid.' },
  forbidden: { lost: nothingLost, advice: 'Ask whoever runs the bridge for a token that allows it.' },
  'rate-limited': { lost: nothingLost, advice: 'Wait a little, then try again.' },
  internal: { lost: keptSnapshots, advice: 'Try again; if it stays, reload the page.' },
};

/** What was lost, and what helps. */
export function adviseOn(error: ErrorData): ErrorAdvice {
  return table[error.code];
}
