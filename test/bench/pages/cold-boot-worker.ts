/**
 * v86 from its first instruction to the shell's prompt: the product's own kernel, initramfs, tree
 * and file server, but no golden state, no history and no screen to draw.
 */
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { ImageDownload } from '../../../web/worker/assets/image-download.ts';
import { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { loadMachineImage } from '../../../web/worker/machine/machine-image.ts';
import { coldImage } from './cold-image.ts';
import { v86Wasm } from './v86-wasm.ts';

export type ColdBootMessage = { type: 'prompt' } | { type: 'failed'; message: string };

/** What a shell prints last before it waits, escape sequences apart. */
const prompt = /[$#] $/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const escapes = /\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x07\x1b]*(\x07|\x1b\\))/g;

async function boot(): Promise<void> {
  const download = new ImageDownload(new URL('../images/', location.href), { name: coldImage });
  const image = await loadMachineImage(download, {
    wasm: WebAssembly.compileStreaming(fetch(v86Wasm)),
    onProgress: () => {},
  });
  const { manifest, source } = image;
  const { snapshot } = loadTree(source, manifest.tree);
  const guest = await GuestMachine.start(LiveTree.from(snapshot, { content: new ContentCache(source) }), {
    parts: await image.parts(manifest.memoryMiB),
    onFailure: ({ message }) => post({ type: 'failed', message }),
  });
  let shown = '';
  const pty = { columns: 80, rows: 24 };
  await guest.init.exec({ command: ['/bin/bash', '--login'], pty, stdin: true }, (event) => {
    shown += event.type === 'exit' ? '' : new TextDecoder().decode(event.bytes);
    if (prompt.test(shown.replace(escapes, ''))) post({ type: 'prompt' });
  });
}

function post(message: ColdBootMessage): void {
  self.postMessage(message);
}

boot().catch((error: Error) => post({ type: 'failed', message: error.message }));
