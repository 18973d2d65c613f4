import { FileParts } from './file-parts.ts';
import { FolderParts, type ReadFile } from './folder-parts.ts';
import type { IndexOptions } from './index-recording.ts';
import { OpenedRecording } from './opened-recording.ts';
import type { Recording } from './recording.ts';
import type { RecordingSource } from './text-blocks.ts';

/**
 * Opens a recording, an asciicast v3 or v2, or a gzip of one. Reads all of it once, for the index; then the parts that are asked for,
 * which `source` has to have until the recording is disposed of.
 * @throws invalid-argument, version-mismatch, unsupported for what is no recording; a damaged one opens up to its damage
 */
export async function openRecording(source: RecordingSource, options: IndexOptions = {}): Promise<Recording> {
  const recording = await openGrowingRecording(source, options);
  await recording.reach(Number.POSITIVE_INFINITY);
  return recording;
}

/** The same, but resolves when the recording's beginning is in the index, which grows until `isWhole` or until it is disposed of. */
export async function openGrowingRecording(
  source: RecordingSource,
  options: IndexOptions = {},
): Promise<Recording> {
  return new OpenedRecording(await FileParts.open(source, options));
}

/**
 * Opens a recording that is a folder of segments, or any that asciinema's player takes with `format: 'segmented'`. `read` is called for
 * the index now, and for a segment or a part of a snapshot when it is asked for.
 * @throws invalid-argument, version-mismatch, limit-exceeded for what is none
 */
export async function openRecordingFolder(read: ReadFile): Promise<Recording> {
  return new OpenedRecording(await FolderParts.open(read));
}
