import { drawScreen } from './draw-screen.ts';
import { readFirstFrame } from './read-first-frame.ts';

/** Draws the picture of a recording that stands there until it is played. Resolves to its title. @throws what reading it throws */
export async function drawFirstFrame(
  target: HTMLElement,
  options: { readonly url: URL; readonly atSeconds: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { screen, title } = await readFirstFrame(options.url, options);
  drawScreen(target, screen);
  return title?.slice(0, 200);
}
