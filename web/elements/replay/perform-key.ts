import type { ReplayKey } from './replay-keys.ts';
import type { ReplayModel } from './replay-model.ts';
import { speeds } from './replay-state.ts';

/** What keys reach of the player besides its model. */
interface KeyTargets {
  readonly search: () => void;
  readonly goOn: () => void;
  readonly help: () => void;
}

/** Does what a key asks. */
export function performKey(key: ReplayKey, model: ReplayModel, targets: KeyTargets): void {
  const { isPlaying, skipsIdle, speed } = model.state;
  switch (key.type) {
    case 'toggle':
      if (isPlaying) model.pause();
      else model.play();
      break;
    case 'move':
      void model.seek(model.at + key.seconds);
      break;
    case 'end':
      void model.seek(key.to === 'first' ? 0 : model.duration);
      break;
    case 'step':
      model.step(key.by, (kind) => key.kinds?.includes(kind) ?? true);
      break;
    case 'speed':
      model.setSpeed(speeds[(speeds as readonly number[]).indexOf(speed) + key.by] ?? speed);
      break;
    case 'skip-idle':
      model.setSkipsIdle(!skipsIdle);
      break;
    case 'next-terminal':
      showNextTerminal(model);
      break;
    case 'search':
      targets.search();
      break;
    case 'continue':
      targets.goOn();
      break;
    case 'help':
      targets.help();
  }
}

function showNextTerminal(model: ReplayModel): void {
  const { session, terminal } = model.state;
  const at = session.terminals.findIndex((each) => each.terminal === terminal);
  const next = session.terminals[(at + 1) % session.terminals.length];
  if (next !== undefined) model.showTerminal(next.terminal);
}
