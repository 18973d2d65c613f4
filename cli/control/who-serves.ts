import { isObject } from '../../protocol/schema.ts';
import { askControl, connectControl } from './control-client.ts';

/** Whoever serves a folder, as it says itself. */
export interface FolderServer {
  readonly pid: number;
  /** What it runs and starts again: the program, how it is, and how often it was started again. */
  readonly supervised?: {
    readonly command: readonly string[];
    readonly state: string;
    readonly restarts: number;
  };
}

/** Asks it; `undefined` where nobody serves the folder any more. @throws as `askControl` */
export async function whoServes(folder: string): Promise<FolderServer | undefined> {
  const socket = await connectControl(folder);
  if (!socket) return undefined;
  try {
    const told = await askControl(socket, { op: 'hello' });
    const server = isObject(told) ? told.server : undefined;
    if (!isObject(server) || typeof server.pid !== 'number') return undefined;
    const supervised = supervisedOf(server.supervised);
    return { pid: server.pid, ...(supervised ? { supervised } : {}) };
  } finally {
    socket.destroy();
  }
}

function supervisedOf(value: unknown): FolderServer['supervised'] {
  if (!isObject(value)) return undefined;
  const { command, state, restarts } = value;
  if (!Array.isArray(command) || typeof state !== 'string') return undefined;
  return { command: command.map(String), state, restarts: Array.isArray(restarts) ? restarts.length : 0 };
}
