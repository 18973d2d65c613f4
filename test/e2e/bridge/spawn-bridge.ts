import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BridgeAddress } from '../../../sdk/connect.ts';

/** A bridge in a process of its own, as `npm run bridge` starts it; its folder goes with it. */
export interface SpawnedBridge extends AsyncDisposable {
  readonly address: BridgeAddress;
}

/** Resolves when the bridge listens, for pages of `origin`. */
export async function spawnBridge(origin: string): Promise<SpawnedBridge> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bridge-'));
  const token = join(folder, 'token');
  const options = ['--port', '0', '--root', folder, '--token-file', token, '--allow-origin', origin];
  const child = spawn(process.execPath, ['scripts/bridge.ts', ...options], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return {
      address: { url: await said(child.stdout), token: await readToken(token) },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The URL that the bridge prints once it is ready. */
async function said(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stdout)) {
    const url = /The bridge is ready at (\S+),/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The bridge ended before it was ready');
}

async function readToken(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim();
}
