import type { FromProgram, ProgramWorker, StartProgramWorker, ToProgram } from './program-worker.ts';

/** A thread of the host, which serves one program after the other. */
export interface ProgramThread {
  post(message: ToProgram): void;
  onMessage(listener: (message: FromProgram) => void): void;
  onFailure(listener: (reason: string) => void): void;
  end(): void;
  /** While nothing runs in it, it does not keep the process alive. */
  setIdle(isIdle: boolean): void;
}

/** Of the threads whose program has ended by itself one is kept for the next program: a start takes longer than most programs. */
export function withSpareThread(startThread: () => ProgramThread): StartProgramWorker {
  let spare: ProgramThread | undefined;

  return () => {
    const thread = spare ?? startThread();
    spare = undefined;
    thread.setIdle(false);
    const worker: ProgramWorker = {
      post: (message) => thread.post(message),
      onMessage: (listener) => thread.onMessage(listener),
      onFailure: (listener) => thread.onFailure(listener),
      terminate: () => thread.end(),
      release: () => {
        if (spare !== undefined) return thread.end();
        spare = thread;
        thread.setIdle(true);
        thread.onMessage(() => {});
        thread.onFailure(() => {
          if (spare === thread) spare = undefined;
        });
      },
    };
    return worker;
  };
}
