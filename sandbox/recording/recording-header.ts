import { limits } from '../../protocol/limits.ts';
import { packageVersion } from '../../protocol/package-version.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { RecordingHeader } from '../../recording/format/recording-header.ts';
import { recordingVersion } from '../../recording/format/recording-header.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import type { ImageObjects } from '../image-objects.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { usualSize } from '../session-events/recorded-terminals.ts';

export interface HeaderParts {
  readonly info: SandboxRecord;
  /** The files of its image, where it has one. */
  readonly image: Pick<ImageObjects, 'tree'>;
  readonly title: string | undefined;
  readonly input: boolean;
  readonly memory: boolean;
  readonly holdsImage: boolean;
  /** Of a recording that is made after its session: of what it was made, as a sentence. */
  readonly madeOf?: string | undefined;
  /** The first snapshot of the recording. */
  readonly begin: HistorySnapshot;
}

/** The head of a recording, with what it does not see (H-6). */
export function recordingHeader({
  info,
  image: { tree },
  holdsImage,
  title,
  input,
  memory,
  madeOf,
  begin,
}: HeaderParts): RecordingHeader {
  const { name, runtime, architecture, image, imageDigest, memoryMiB, diskMiB } = info;
  return {
    ...usualSize,
    beginMs: Date.now(),
    ...(title === undefined ? {} : { title: title.slice(0, limits.recordingTitleCharacters) }),
    coppice: {
      ...{ recording: recordingVersion, generator: `coppice ${packageVersion}`, sandbox: name, runtime },
      ...(architecture === undefined ? {} : { architecture }),
      ...(hasImage(info)
        ? {
            image: {
              ...{ name: image, digest: imageDigest },
              ...(tree === undefined ? {} : { tree }),
              ...(holdsImage ? { isHeld: true } : {}),
            },
          }
        : {}),
      ...{ memoryMiB, diskMiB, begin: begin.id, coverage: begin.coverage },
      omitted: omitted({ input, memory, madeOf }),
    },
  };
}

function omitted({ input, memory, madeOf }: Pick<HeaderParts, 'input' | 'memory' | 'madeOf'>): string[] {
  return [
    ...(madeOf === undefined ? [] : [madeOf]),
    ...(input ? [] : ['What was typed is recorded only as far as terminals showed it.']),
    ...(memory ? [] : ['Memory of the machine is left out of snapshots.']),
    'Output of processes that were started in the background of others, and that no client reads.',
    'What went over the network.',
    'Secrets are replaced in what was shown and said; files of snapshots are as they are.',
    'Files between two snapshots: what was written and overwritten before the next one.',
  ];
}
