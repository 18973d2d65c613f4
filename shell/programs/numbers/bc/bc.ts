import { shellLimits } from '../../../limits.ts';
import { ShellError } from '../../../shell-error.ts';
import { decodeText, encodeText } from '../../../text.ts';
import { defineProgram } from '../../command-line/define-program.ts';
import { ProgramError } from '../../messages/program-error.ts';
import { nameInMessage } from '../../messages/quote-name.ts';
import type { Program } from '../../program.ts';
import { readAll, readInput } from '../../streams/input.ts';
import { Steps } from '../../streams/steps.ts';
import { BcParser, BcProblem } from './bc-syntax.ts';
import { BcMachine } from './run-bc.ts';

export const bc: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary:
    'An arbitrary precision calculator language. Of it there is no `read()`, no array as an argument, and no Bessel function.',
  options: {
    interactive: '-i, --interactive  force interactive mode (ignored)',
    library: '-l, --mathlib  use the predefined math routines',
    quiet: "-q, --quiet  don't print initial banner",
    standard: '-s, --standard  process exactly the POSIX bc language (ignored)',
    warn: '-w, --warn  give warnings for extensions to POSIX bc (ignored)',
  },
  async run({ call, options, operands, out }) {
    const machine = new BcMachine({ out, steps: new Steps(call.signal), hasLibrary: options.has('library') });
    const sources: { name: string; read(): Promise<Uint8Array> }[] = operands.map((name) => ({
      name,
      read: () => readInput(call, name),
    }));
    sources.push({ name: '(standard_in)', read: () => readAll(call.stdin, call.signal) });
    for (const { name, read } of sources) {
      let source: string;
      try {
        source = decodeText(await read());
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        throw new ProgramError(`File ${nameInMessage(name)} is unavailable.`);
      }
      if (await runSource(source, name)) return 0;
    }
    return 0;

    /** Whether it has quit. */
    async function runSource(source: string, name: string): Promise<boolean> {
      const complain = async (message: string) => {
        await out.flush();
        await call.stderr.write(encodeText(message), call.signal);
      };
      let parser: BcParser;
      try {
        if (source.length > shellLimits.sourceBytes) throw new BcProblem('the program is too long');
        parser = new BcParser(source);
      } catch (error) {
        if (!(error instanceof BcProblem)) throw error;
        await complain(`${name} 1: ${error.message}\n`);
        return false;
      }
      for (;;) {
        let isReading = true;
        try {
          const statement = parser.next();
          if (statement === undefined) return false;
          isReading = false;
          if ((await machine.run(statement)) === 'quit') return true;
        } catch (error) {
          // A RangeError is a stack that has no room for what is nested too deep.
          if (!(error instanceof BcProblem || error instanceof RangeError)) throw error;
          const message = error instanceof BcProblem ? error.message : 'expression nested too deep';
          await complain(
            isReading ? `${name} 1: ${message}\n` : `Runtime error (func=(main), adr=3): ${message}\n`,
          );
          if (isReading) parser.skipLine();
        }
        if (out.isFull) await out.flush();
      }
    }
  },
});
