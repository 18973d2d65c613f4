import type { ErrorData } from '../../../protocol/errors.ts';
import type { MoveState } from '../model/move-state.ts';
import { adviseOn, type ErrorAdvice } from '../text/describe-error.ts';

const lost = 'Nothing has moved, and nothing was lost.';

/** Advice after a failed move. `origin` is the page's. */
export function adviseOnMove(
  error: ErrorData,
  move: Pick<MoveState, 'direction' | 'host'>,
  origin: string,
): ErrorAdvice {
  const { direction, host } = move;
  if (direction === 'to-machine') return { lost, advice: adviseOn(error).advice };
  switch (error.code) {
    case 'connection-lost':
    case 'timeout':
      return {
        lost,
        advice: `Look whether the bridge at ${host} runs, and lets this page in: ${bridgeCommand(origin)}.`,
      };
    case 'unauthenticated':
      return {
        lost,
        advice: `The token of ${host} is not valid any more. Add the bridge again with the one that it prints.`,
      };
    case 'forbidden':
      return {
        lost,
        advice: `The token of ${host} does not allow this. Add the bridge again with one that does.`,
      };
    case 'busy':
      return { lost, advice: 'Something else moves there just now. Wait a little, then try again.' };
    case 'asset-unavailable':
      return direction === 'to-host'
        ? {
            lost,
            advice: `${host} does not have the image that this sandbox was made from. A bridge made from the same checkout as this page has it.`,
          }
        : { lost, advice: 'This page does not have the image that the sandbox was made from.' };
    case 'storage-full':
      return direction === 'to-host'
        ? { lost, advice: `There is no room on ${host}. Delete sandboxes there, in the list of hosts.` }
        : {
            lost,
            advice:
              'There is no room in this browser. Delete snapshots or sandboxes here, and bring it back then.',
          };
    default:
      return { lost, advice: adviseOn(error).advice };
  }
}

/** The command for the host, with which its bridge accepts this page. */
export function bridgeCommand(origin: string): string {
  return `npm run bridge -- --allow-origin ${origin}`;
}
