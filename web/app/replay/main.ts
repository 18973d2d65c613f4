// The page of the player. What continues a recording live is loaded when that is near.

import { pickRecording, recordingOf } from '../../elements/replay/pick-recording.ts';
import { formatPlace, type ReplayPlace, readPlace } from '../../elements/replay/replay-place.ts';
import type { ReplayPlayer } from '../../elements/replay/replay-player.ts';
import type { ReplaySource } from '../../transports/replay-link.ts';
import { applyTheme } from '../apply-theme.ts';
import { defineReplay } from '../define-replay.ts';
import { prepareOffline } from '../offline.ts';
import { openReplayWorker } from '../open-replay-worker.ts';
import { LivePage } from './live-page.ts';

const player = document.querySelector<ReplayPlayer>('coppice-replay');
if (player !== null) startPlayer(player);

function startPlayer(player: ReplayPlayer): void {
  applyTheme();
  const live = new LivePage(player);
  player.replaceChildren();
  player.openLink = openReplayWorker;
  player.continuation = live.continuation;
  defineReplay();

  const show = (source: ReplaySource, place: Partial<ReplayPlace> = {}): Promise<void> =>
    player.open(source, place);
  const wanted = new URLSearchParams(location.search).get('recording');
  let shown: Promise<void> | undefined;
  if (wanted !== null) {
    const url = URL.parse(wanted, location.href)?.href ?? wanted;
    shown = show({ type: 'url', url }, readPlace(location.hash));
  }
  player.addEventListener('place', ({ detail }: CustomEventInit<ReplayPlace>) => {
    // A recording of the user's disk has no address: a link would lead to another one, or to none.
    if (detail !== undefined && live.isPlayer)
      history.replaceState(history.state, '', `#${formatPlace(detail)}`);
  });
  player.addEventListener('choose-file', () => void pickRecording().then((source) => source && show(source)));
  addEventListener('hashchange', () => void (live.isPlayer && player.go(readPlace(location.hash))));
  addEventListener('dragover', (event) => {
    if (live.isPlayer && event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    const source = recordingOf([...(event.dataTransfer?.files ?? [])]);
    if (!live.isPlayer || source === undefined) return;
    event.preventDefault();
    history.replaceState(null, '', location.pathname);
    void show(source);
  });
  void live.findHosts();
  if (import.meta.env.PROD) void prepareAfter(shown);
}

/** What a later visit needs is fetched when the user no longer waits for this one. */
async function prepareAfter(shown: Promise<void> | undefined): Promise<void> {
  await shown;
  await prepareOffline(new URL('../service-worker.js', document.baseURI), {
    onReady: () => undefined,
    onUpdate: () => undefined,
  });
}
