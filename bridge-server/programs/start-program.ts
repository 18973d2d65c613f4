import type { Program, StartOptions, StartProgram } from './program.ts';
import { Spawner } from './spawner.ts';
import { startByNode } from './start-by-node.ts';

/** How this process starts programs. */
let starter: StartProgram = startByNode;

/** Starts a program of the host: by a spawner where one is in use, otherwise as a child of this process. */
export function startProgram(command: readonly [string, ...string[]], options: StartOptions): Program {
  return starter(command, options);
}

/**
 * Has every program of this process started by the program `path` (`buildHostProgram`) from now on, until
 * it is disposed of, or ends. What it has started goes on.
 * @throws unsupported when it does not run
 */
export async function useSpawner(path: string): Promise<AsyncDisposable> {
  const spawner = await Spawner.open(path);
  const before = starter;
  const mine: StartProgram = (command, options) => spawner.start(command, options);
  starter = mine;
  const letGo = (): void => {
    if (starter === mine) starter = before;
  };
  void spawner.closed.then((why) => {
    if (starter === mine) console.warn(`Programs are started more slowly from now on: ${why}`);
    letGo();
  });
  return {
    [Symbol.asyncDispose]: () => {
      letGo();
      return spawner[Symbol.asyncDispose]();
    },
  };
}
