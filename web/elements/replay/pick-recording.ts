import type { ReplaySource } from '../../transports/replay-link.ts';

/** What was dropped or chosen, as a recording: a file, or the files of a folder with an index. */
export function recordingOf(files: readonly File[]): ReplaySource | undefined {
  const [file] = files;
  if (file === undefined) return undefined;
  if (files.some(({ name }) => name === 'index.json')) return { type: 'folder', files };
  return { type: 'file', file, name: file.name };
}

/** Asks the user for a file. Resolves to `undefined` if they choose none. */
export function pickRecording(): Promise<ReplaySource | undefined> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  const { promise, resolve } = Promise.withResolvers<ReplaySource | undefined>();
  input.addEventListener('change', () => resolve(recordingOf([...(input.files ?? [])])));
  input.addEventListener('cancel', () => resolve(undefined));
  input.click();
  return promise;
}
