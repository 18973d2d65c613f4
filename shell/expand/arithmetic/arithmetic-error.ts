import type { ShellText } from '../../text.ts';
import { ExpansionError } from '../expansion-scope.ts';

/** An expression cannot be evaluated. Commands put their name before the message: `((: 1/0: division by 0 …`. */
export class ArithmeticError extends ExpansionError {
  constructor(expression: ShellText, { reason, token }: { reason: string; token: ShellText }) {
    const shown = expression.replace(/^[ \t\n]+/, '');
    super(`${shown}: ${reason} (error token is "${token.replace(/^[ \t\n]+/, '')}")`);
  }
}
