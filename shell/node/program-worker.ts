// The thread of one program of the shell that is compiled to WebAssembly.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { serveProgram } from '../wasm/serve-program.ts';

const { resolve } = createRequire(import.meta.url);
const port = parentPort;
if (port === null) throw new Error('program-worker.ts is the script of a worker thread');

async function bytesOf(file: string): Promise<ArrayBuffer> {
  return new Uint8Array(await readFile(resolve(file))).buffer;
}

serveProgram(
  {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', listener),
  },
  { sqlite: () => bytesOf('sql.js/dist/sql-wasm.wasm') },
);
