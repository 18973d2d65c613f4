import type { ProgramStart } from '../programs/wasm/program-worker.ts';
import { limitMemory } from './limit-memory.ts';
import { ProgramContext, type ProgramPort } from './program-context.ts';

/** Compiled parts of programs that are files of their own; where they are depends on the host of the thread. */
export interface ProgramAssets {
  sqlite(): Promise<ArrayBuffer>;
}

/** Runs programs in this thread, one after the other, as they are sent. */
export function serveProgram(port: ProgramPort, assets: ProgramAssets): void {
  // What the libraries print as they abort: their program says it itself.
  Object.assign(console, { error: () => {} });
  let context: ProgramContext | undefined;
  port.onMessage((message) => {
    if (message.type === 'answer') context?.onAnswer(message.id, { value: message.value });
    else if (message.type === 'failure') context?.onAnswer(message.id, { code: message.code });
    else {
      context = new ProgramContext(message.start, port);
      void runToEnd(context, { start: message.start, port, assets });
    }
  });
}

async function runToEnd(
  context: ProgramContext,
  { start, port, assets }: { start: ProgramStart; port: ProgramPort; assets: ProgramAssets },
): Promise<void> {
  limitMemory(start.memoryBytes);
  let exitCode: number;
  try {
    exitCode = await runProgram(context, assets);
  } catch (error) {
    const reason = error instanceof RangeError ? 'out of memory' : String(error);
    context.write(2, `${start.program}: ${reason}\n`);
    exitCode = 1;
  }
  context.flush();
  port.post({ type: 'end', exitCode });
}

/** Each is loaded when it is called. */
async function runProgram(context: ProgramContext, assets: ProgramAssets): Promise<number> {
  switch (context.start.program) {
    case 'jq': {
      const { runJq } = await import('./jq/run-jq.ts');
      return runJq(context);
    }
    case 'js': {
      const { runJs } = await import('./js/run-js.ts');
      return runJs(context);
    }
    case 'sqlite3': {
      const { runSqlite } = await import('./sqlite/run-sqlite.ts');
      return runSqlite(context, await assets.sqlite());
    }
  }
}
