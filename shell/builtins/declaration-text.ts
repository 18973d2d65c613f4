import { needsAnsiC, quote } from '../expand/expand.ts';
import { attributeLetters } from '../state/attribute-letters.ts';
import type { Variable, VariableValue } from '../state/variables.ts';
import type { ShellText } from '../text.ts';

/** A variable as `declare -p` shows it. */
export function declarationText(name: string, variable: Variable): ShellText {
  const flags = attributeLetters(variable) || '-';
  const value = valueText(variable, 'declare');
  return `declare -${flags} ${name}${value === undefined ? '' : `=${value}`}`;
}

const emptyDeclared = new WeakSet<VariableValue>();

/** Notes that an array has been declared, and nothing been assigned to it: `declare -p` shows no value. */
export function noteDeclaredOnly({ value }: Variable): void {
  if (value && value.type !== 'text' && value.elements.size === 0) emptyDeclared.add(value);
}

/** A value as `declare -p`, or `set`, shows it. */
export function valueText({ value }: Variable, style: 'declare' | 'set'): ShellText | undefined {
  if (value === undefined) return undefined;
  if (value.type !== 'text' && value.elements.size === 0 && emptyDeclared.has(value)) return undefined;
  if (value.type === 'text') return style === 'set' ? quoteForSet(value.text) : quote(value.text, 'declare');
  if (value.type === 'indexed') {
    return `(${[...value.elements].map(([index, text]) => `[${index}]=${quote(text, 'declare')}`).join(' ')})`;
  }
  const elements = [...value.elements].map(([key, text]) => `[${quoteKey(key)}]=${quote(text, 'declare')} `);
  return `(${elements.join('')})`;
}

function quoteKey(key: ShellText): ShellText {
  if (key === '@' || key === '*' || key === '') return quote(key, 'declare');
  return /^[\w%+,./:=@^-]+$/.test(key) ? key : quote(key, 'declare');
}

/** Text between single quotes, as `alias` and `trap` show it. */
export function singleQuote(text: ShellText): ShellText {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the shell would not read as it is: `~` and `#` where they mean something. */
const needsQuotes = /[\s'"\\|&;()<>!{}*[\]?^$`]|^~|[=:]~|^#/;

/** Text as `set` shows it: between quotes where it needs them. */
function quoteForSet(text: ShellText): ShellText {
  if (text === "'") return "\\'";
  return needsQuotes.test(text) || needsAnsiC(text) ? quote(text, 'at-q') : text;
}
