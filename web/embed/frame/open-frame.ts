import { SandboxError } from '../../../protocol/errors.ts';
import { findEmbedder } from '../../webcontainer-host/find-embedder.ts';
import { EmbedBackend } from './embed-backend.ts';
import { readFrameOptions } from './frame-options.ts';
import { FrameView } from './frame-view.ts';
import { openMachines, openShells } from './open-worker.ts';
import { serveEmbedder } from './serve-embedder.ts';

/** Shows this frame, and lets the page around it drive it: composition root. */
export async function openFrame(): Promise<void> {
  const backend = new EmbedBackend({ shell: openShells, v86: openMachines }, (progress) =>
    view.progress(progress),
  );
  const [panes, status] = ['panes', 'status'].map((id) => document.getElementById(id));
  if (!panes || !status) throw new TypeError('The page of embeds has lost its parts');
  const view = new FrameView(backend, { panes, status });
  if (parent !== window)
    serveEmbedder(window, { origin: findEmbedder(globalThis), backend, onView: (port) => view.listen(port) });
  const { isDriven, runtime, image, run, ...look } = readFrameOptions(location.hash);
  view.look({ ...look, properties: {} });
  if (isDriven) return;
  try {
    // A sandbox of its own, for a page that does no more than to show this one.
    const options = { runtime, ...(image === undefined ? {} : { image }) };
    const { id } = await (await backend.create(options, () => {})).info.get();
    await view.show([{ id, title: '' }]);
    if (run !== undefined) view.enter(id, run);
  } catch (error) {
    view.problem(SandboxError.from(error).message);
  }
}
