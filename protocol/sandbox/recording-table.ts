import { limits } from '../limits.ts';
import { closed, flag, integer, list, nothing, number, optional, record, textUpTo } from '../schema.ts';
import type {
  PastOptions,
  RecordingAddition,
  RecordingFacet,
  RecordingOptions,
  RecordingSummary,
} from './recording.ts';
import type { Table } from './row.ts';
import { objectId } from './schemas.ts';

const id = textUpTo(limits.recordingIdCharacters);
const secret = textUpTo(limits.recordingSecretCharacters);

/** What others do in their terminals is more than who may read files may see. */
export const recordingTable: Table<RecordingFacet> = {
  start: {
    access: 'run',
    ask: closed<RecordingOptions>({
      id,
      title: optional(textUpTo(limits.recordingTitleCharacters)),
      gzip: optional(flag),
      input: optional(flag),
      memory: optional(flag),
      image: optional(flag),
      history: optional(flag),
      secrets: optional(list(secret, { most: limits.recordingSecrets })),
    }),
    gives: 'archive',
  },
  // Without what terminals showed it has what a reader can see in another way, and with that it needs more (`restrictConnection`).
  save: {
    access: 'read',
    ask: closed<PastOptions>({
      title: optional(textUpTo(limits.recordingTitleCharacters)),
      gzip: optional(flag),
      from: optional(objectId),
      to: optional(objectId),
      terminals: optional(flag),
      memory: optional(flag),
      image: optional(flag),
      secrets: optional(list(secret, { most: limits.recordingSecrets })),
    }),
    gives: 'archive',
  },
  add: {
    access: 'run',
    ask: closed<RecordingAddition>({ id, event: textUpTo(limits.recordingEventCharacters) }),
    gives: 'json',
    answer: nothing,
  },
  stop: {
    access: 'run',
    ask: closed<{ readonly id: string; readonly exitCode?: number | undefined }>({
      id,
      exitCode: optional(integer(0, 255)),
    }),
    gives: 'json',
    answer: record<RecordingSummary>({ events: number, snapshots: number, redacted: number }),
  },
};
