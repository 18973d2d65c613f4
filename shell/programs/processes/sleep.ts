import { defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { wait } from '../streams/wait.ts';
import { durationMs } from './durations.ts';

export const sleep: Program = defineProgram({
  usage: 'NUMBER[SUFFIX]...',
  summary:
    'Pause for NUMBER seconds, where NUMBER is an integer or floating-point. SUFFIX may be s, m, h or d.',
  async run({ call, operands }) {
    if (operands.length === 0) throw new UsageError('missing operand');
    await wait(
      operands.reduce((sum, operand) => sum + durationMs(operand), 0),
      call.signal,
    );
    return 0;
  },
});
