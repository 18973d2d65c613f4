import { defineProgram } from '../command-line/define-program.ts';
import type { Program } from '../program.ts';

const pieceLength = 16_384;

export const yes: Program = defineProgram({
  usage: '[STRING]...',
  summary: "Repeatedly output a line with all specified STRING(s), or 'y'.",
  async run({ operands, out }) {
    const line = `${operands.length > 0 ? operands.join(' ') : 'y'}\n`;
    const piece = line.repeat(Math.max(1, Math.floor(pieceLength / line.length)));
    for (;;) {
      out.add(piece);
      await out.flush();
    }
  },
});
