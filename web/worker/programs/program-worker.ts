// The worker of one program of the shell that is compiled to WebAssembly.
import sqliteUrl from 'sql.js/dist/sql-wasm-browser.wasm?url';
import type { ToProgram } from '../../../shell/programs/wasm/program-worker.ts';
import { serveProgram } from '../../../shell/wasm/serve-program.ts';

declare const self: DedicatedWorkerGlobalScope;

async function bytesOf(url: string): Promise<ArrayBuffer> {
  const response = await fetch(new URL(url, import.meta.url));
  if (!response.ok) throw new Error(`${url} could not be loaded: ${response.status}`);
  return response.arrayBuffer();
}

serveProgram(
  {
    post: (message) => self.postMessage(message),
    onMessage: (listener) => {
      self.onmessage = ({ data }: MessageEvent<ToProgram>) => listener(data);
    },
  },
  { sqlite: () => bytesOf(sqliteUrl) },
);
