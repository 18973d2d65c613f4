import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { openOutput, pieces } from '../streams/input.ts';

export const tee: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Copy standard input to each FILE, and also to standard output.',
  options: {
    append: '-a, --append  append to the given FILEs, do not overwrite',
    ignore: '-i, --ignore-interrupts  ignore interrupt signals',
    pipes: '-p  operate in a more appropriate MODE with pipes',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    const outputs: { name: string; file: OpenFile }[] = [{ name: 'standard output', file: call.stdout }];
    call.stdout.retain();
    let status = 0;
    for (const name of operands) {
      const isOpen = await attempt(invocation, nameInMessage(name), () => {
        outputs.push({ name, file: openOutput(call, name, { append: options.has('append') }) });
      });
      if (!isOpen) status = 1;
    }
    try {
      for await (const piece of pieces(call.stdin, call.signal)) {
        for (const [index, output] of [...outputs.entries()].reverse()) {
          try {
            await output.file.write(piece, call.signal);
          } catch (error) {
            if (!(error instanceof ShellError)) throw error;
            if (error.code === 'EPIPE' && !options.has('pipes')) throw error;
            if (error.code !== 'EPIPE')
              await invocation.warn(`${nameInMessage(output.name)}: ${error.message}`);
            status = 1;
            outputs.splice(index, 1);
            output.file.release();
          }
        }
      }
    } finally {
      for (const { file } of outputs) file.release();
    }
    return status;
  },
});
