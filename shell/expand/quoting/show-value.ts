import type { VariableValue } from '../../state/variables.ts';
import type { ShellText } from '../../text.ts';
import { needsAnsiC, quote, quoteAnsiC } from './quote.ts';

/** An array's value as `declare -p` shows it: `([0]="a" [1]="b")`. */
export function showElements(value: Exclude<VariableValue, { type: 'text' }>): ShellText {
  if (value.type === 'indexed') {
    const shown = [...value.elements].map(([index, text]) => `[${index}]=${quote(text, 'declare')}`);
    return `(${shown.join(' ')})`;
  }
  const shown = [...value.elements].map(([key, text]) => `[${showKey(key)}]=${quote(text, 'declare')} `);
  return `(${shown.join('')})`;
}

/** A key is quoted where it has characters that mean something to the shell. */
function showKey(key: ShellText): ShellText {
  if (needsAnsiC(key)) return quoteAnsiC(key);
  const isPlain = key !== '' && key !== '@' && key !== '*' && !/[\s!"$&'()*;<>?[\\\]^`{|}]|^[~#]/.test(key);
  return isPlain ? key : quote(key, 'declare');
}
