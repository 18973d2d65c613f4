// The worker of the machines of one frame.
import type { EmbedStart } from '../../transports/embed-worker.ts';
import { ImageDownloads } from '../assets/image-downloads.ts';
import { watchedV86 } from '../machine/watched-v86.ts';
import { machineDriver } from '../machine-driver.ts';
import { SpareImage } from '../spare-image.ts';
import { memoryQuota, serveEmbed } from './serve-embed.ts';

/** The worker's script is in the site's `assets/` folder; the development server has it elsewhere. */
const images = new URL('images/', new URL(import.meta.env.DEV ? '/' : '..', location.href));
let compiled: Promise<WebAssembly.Module> | undefined;
const machines = machineDriver({
  downloads: new ImageDownloads(images),
  images,
  wasm: () => (compiled ??= WebAssembly.compileStreaming(fetch(watchedV86.url))),
  marks: watchedV86.marks,
  spare: new SpareImage(),
  quota: memoryQuota,
  keeps: false,
});

addEventListener('message', ({ data }: MessageEvent<EmbedStart>) => serveEmbed(data, machines));
