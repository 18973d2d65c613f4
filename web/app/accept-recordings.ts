import type { CoppiceApp } from '../elements/frame/coppice-app.ts';
import { recordingOf } from '../elements/replay/pick-recording.ts';

/** Of recordings, and of sessions that agents write. */
const endings = /\.(cast|cast\.gz|jsonl)$/i;

/** Opens a recording that is dropped anywhere on the page but where files are uploaded to. */
export function acceptRecordings(app: CoppiceApp): void {
  app.addEventListener('dragover', (event) => {
    if (!event.defaultPrevented && event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  app.addEventListener('drop', (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (event.defaultPrevented) return;
    // Without this, the browser would show the file in the place of the page.
    event.preventDefault();
    const isRecording = files.some(({ name }) => endings.test(name) || name === 'index.json');
    const source = isRecording ? recordingOf(files) : undefined;
    if (source !== undefined) void app.openRecording(source);
  });
}
