import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { defineReplay } from '../../app/define-replay.ts';
import { openReplayWorker } from '../../app/open-replay-worker.ts';
import { LiveContinuation } from '../../elements/replay/live-continuation.ts';
import { pickRecording } from '../../elements/replay/pick-recording.ts';
import type { ReplayPlayer } from '../../elements/replay/replay-player.ts';
import type { ReplaySource } from '../../transports/replay-link.ts';

interface ReplayParts {
  /** The file of a recording, or those of a folder of segments. */
  readonly files: readonly File[];
  /** Seconds since it began. */
  readonly at: number;
  /** Where it is continued: the frame's own sandboxes, and neither the user's nor hosts. */
  readonly backend: SandboxBackend;
  /** Shows the terminal of a sandbox beside what is hidden then, or none. */
  readonly onLive: (id: string | undefined) => Promise<void>;
}

/** Shows the player with a recording in place of what was in `panes`. */
export async function showReplay(
  panes: HTMLElement,
  { files, at, backend, onLive }: ReplayParts,
): Promise<void> {
  defineReplay();
  const player = document.createElement('coppice-replay') as ReplayPlayer;
  const back = document.createElement('button');
  back.className = 'back';
  back.textContent = '◂ Back to the recording';
  back.hidden = true;
  const turn = async (id: string | undefined): Promise<void> => {
    player.hidden = id !== undefined;
    back.hidden = id === undefined;
    await onLive(id);
  };
  back.onclick = () => void turn(undefined);
  player.openLink = openReplayWorker;
  player.continuation = new LiveContinuation({
    backend: async () => backend,
    prepareImage: () => {},
    hosts: () => [],
    reachHost: async () => undefined,
    show: async ({ info, connection }) => {
      await turn(info.id);
      await connection?.close();
    },
  });
  const show = (source: ReplaySource): Promise<void> => player.open(source, { at });
  player.addEventListener('choose-file', () => void pickRecording().then((source) => source && show(source)));
  panes.replaceChildren(player);
  panes.before(back);
  await show(sourceOf(files));
  // It was asked for by the button over its picture.
  player.play();
}

function sourceOf(files: readonly File[]): ReplaySource {
  const [file] = files;
  if (files.length > 1 || file === undefined) return { type: 'folder', files };
  return { type: 'file', file, name: file.name };
}
