// The machine worker: one sandbox's emulator, file server, history and stores, behind comlink.
import v86Wasm from 'v86/build/v86.wasm?url';
import { IdbRefs } from '../stores/idb/idb-refs.ts';
import { exposeBackend } from '../transports/expose-backend.ts';
import { SandboxRegistry } from './sandbox-registry.ts';
import { TabBackend } from './tab-backend.ts';

/** The worker's script is in the site's `assets/` folder; the development server has it elsewhere. */
const site = new URL(import.meta.env.DEV ? '/' : '..', location.href);

/** Begun before anyone asks: most of what a worker is asked for needs it, and it takes a while. */
const wasm = WebAssembly.compileStreaming(fetch(new URL(v86Wasm, location.href)));
wasm.catch(() => undefined); // Told to whoever needs it.

exposeBackend(
  new TabBackend({
    registry: new SandboxRegistry(IdbRefs.open()),
    images: new URL('images/', site),
    wasm,
    defaultImage: 'default',
  }),
);
