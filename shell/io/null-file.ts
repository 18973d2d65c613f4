import type { OpenFile } from './open-file.ts';

/** As `/dev/null`: at its end for readers, and takes whatever is written. Nothing needs to be released. */
export const nullFile: OpenFile = {
  type: 'null',
  read: () => Promise.resolve(new Uint8Array(0)),
  unread: () => {},
  write: () => Promise.resolve(),
  retain: () => {},
  release: () => {},
};
