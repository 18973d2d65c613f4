import { SandboxError } from '../../protocol/errors.ts';
import { packageVersion } from '../../protocol/package-version.ts';
import { detectFormat } from '../../recording/import/detect-format.ts';
import { importLimits } from '../../recording/import/limits.ts';
import { piecesOf, type RecordingSource } from '../../recording/read/text-blocks.ts';
import { FetchedSource } from './fetched-source.ts';
import { replayLimits } from './limits.ts';

/**
 * A recording as it is; of a session that an agent wrote, the recording that is made of it as far as it is read.
 * @throws invalid-argument for what is neither
 */
export async function asRecording(source: RecordingSource): Promise<RecordingSource> {
  const beginning = await source.read(0, importLimits.detectBytes);
  if (beginning.length === 0 || detectFormat(beginning) === 'recording') return source;
  return new FetchedSource(importedPieces(source));
}

/** @throws invalid-argument, limit-exceeded */
async function* importedPieces(source: RecordingSource): AsyncGenerator<Uint8Array> {
  // Most of what is opened needs no importer.
  const [{ importSession }, { toRecording }] = await Promise.all([
    import('../../recording/import/import-session.ts'),
    import('../../recording/export/to-recording.ts'),
  ]);
  const generator = `coppice ${packageVersion}`;
  const { header, events } = await importSession(piecesOf(source), { generator });
  let sizeBytes = 0;
  for await (const piece of toRecording({ header, events }, { gzip: false })) {
    sizeBytes += piece.length;
    if (sizeBytes > replayLimits.fileBytes) {
      const most = `${replayLimits.fileBytes} bytes`;
      throw new SandboxError('limit-exceeded', `The session would be a recording of more than ${most}`);
    }
    yield piece;
  }
}
