import { SandboxError } from '../../../protocol/errors.ts';

/** Shows the player with a recording whose bytes the page reads. */
export async function showReplay(
  panes: HTMLElement,
  { port }: { readonly port: MessagePort; readonly sizeBytes: number; readonly at: number },
): Promise<void> {
  panes.replaceChildren();
  port.close();
  throw new SandboxError('unsupported', 'The player is not there yet');
}
