import type { Program } from './program.ts';

/** A program whose modules are loaded when it is first called: those of all programs are a third of what a first shell would load. */
export function loadedProgram(load: () => Promise<Program>): Program {
  let program: Program | undefined;
  return async (call) => {
    program ??= await load();
    return program(call);
  };
}
