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
  /** Told the sandbox that goes on from the recording. */
  readonly onLive: (id: string) => Promise<void>;
  /** The reader wants the recording again. */
  readonly onBack: () => void;
}

/** A player that is there, shown or behind what goes on from its recording. */
export interface ShownReplay {
  /** The height of the way back to it, where that is shown. */
  readonly backPx: number;
  hide(isHidden: boolean): void;
  /** Plays, as the button over its picture has asked for. */
  play(): Promise<void>;
  remove(): void;
}

/** Puts the player with a recording in place of what was in `panes`. */
export function showReplay(
  panes: HTMLElement,
  { files, at, backend, onLive, onBack }: ReplayParts,
): ShownReplay {
  defineReplay();
  const player = document.createElement('coppice-replay') as ReplayPlayer;
  const back = document.createElement('button');
  back.className = 'back';
  back.textContent = '◂ Back to the recording';
  back.hidden = true;
  back.onclick = onBack;
  player.openLink = openReplayWorker;
  player.continuation = new LiveContinuation({
    backend: async () => backend,
    prepareImage: () => {},
    hosts: () => [],
    reachHost: async () => undefined,
    show: async ({ info, connection }) => {
      await onLive(info.id);
      await connection?.close();
    },
  });
  const show = (source: ReplaySource): Promise<void> => player.open(source, { at });
  player.addEventListener('choose-file', () => void pickRecording().then((source) => source && show(source)));
  panes.replaceChildren(player);
  panes.before(back);
  return {
    get backPx() {
      return back.offsetHeight;
    },
    hide(isHidden) {
      player.hidden = isHidden;
      back.hidden = !isHidden;
    },
    async play() {
      await show(sourceOf(files));
      player.play();
    },
    remove() {
      player.remove();
      back.remove();
    },
  };
}

function sourceOf(files: readonly File[]): ReplaySource {
  const [file] = files;
  if (files.length > 1 || file === undefined) return { type: 'folder', files };
  return { type: 'file', file, name: file.name };
}
