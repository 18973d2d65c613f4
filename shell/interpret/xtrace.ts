import { expandPrompt, expandText, quote } from '../expand/expand.ts';
import type {
  ArithmeticExpressionNode,
  AssignmentNode,
  CaseNode,
  ConditionalExpressionNode,
  ForNode,
} from '../syntax/ast.ts';
import { encodeText, type ShellText } from '../text.ts';
import { sourceOfWord } from './command-text.ts';
import type { Shell } from './shell.ts';

/** Characters that make `set -x` put a word between quotes. */
const needsQuotes = /[\s'"\\$`!*?[\]{}()<>|&;#~^]/;

/** `set -x` shows a command's words before it runs. */
export async function traceWords(shell: Shell, words: readonly ShellText[]): Promise<void> {
  await trace(shell, words.map(quoteForTrace).join(' '));
}

export async function traceAssignment(shell: Shell, { name, append, array }: AssignmentNode): Promise<void> {
  const operator = append ? '+=' : '=';
  if (array) {
    await trace(shell, `${name}${operator}(${array.map(sourceOfWord).join(' ')})`);
    return;
  }
  const [, base = name, subscript] = /^([^[]+)\[(.*)\]$/s.exec(name) ?? [];
  const value =
    subscript === undefined ? shell.variables.get(base) : shell.variables.element(base, subscript);
  await trace(shell, `${name}${operator}${quoteValue(value ?? '')}`);
}

export async function traceFor(shell: Shell, { variable, words }: ForNode): Promise<void> {
  await trace(shell, `for ${variable} in ${words ? words.map(sourceOfWord).join(' ') : '"$@"'}`);
}

export async function traceCase(shell: Shell, { word }: CaseNode): Promise<void> {
  await trace(shell, `case ${sourceOfWord(word)} in`);
}

export async function traceArithmetic(
  shell: Shell,
  { originalText }: ArithmeticExpressionNode,
): Promise<void> {
  await trace(shell, `(( ${originalText?.trim() ?? ''} ))`);
}

export async function traceConditional(shell: Shell, expression: ConditionalExpressionNode): Promise<void> {
  await trace(shell, `[[ ${await conditionText(shell, expression)} ]]`);
}

async function conditionText(shell: Shell, expression: ConditionalExpressionNode): Promise<ShellText> {
  switch (expression.type) {
    case 'CondWord':
      return `-n ${quoteValue(await expandText(expression.word, shell.scope)) || "''"}`;
    case 'CondUnary':
      return `${expression.operator} ${quoteValue(await expandText(expression.operand, shell.scope)) || "''"}`;
    case 'CondBinary': {
      const left = quoteValue(await expandText(expression.left, shell.scope)) || "''";
      return `${left} ${expression.operator} ${await expandText(expression.right, shell.scope)}`;
    }
    case 'CondNot':
      return `! ${await conditionText(shell, expression.operand)}`;
    case 'CondAnd':
    case 'CondOr':
      return await conditionText(shell, expression.left);
    case 'CondGroup':
      return await conditionText(shell, expression.expression);
  }
}

/** The first character of `PS4` stands once for each level of substitution. */
async function trace(shell: Shell, text: ShellText): Promise<void> {
  const prompt = await expandUntraced(shell, shell.variables.get('PS4') ?? '+ ');
  const [first = ''] = prompt;
  const prefix = first.repeat(shell.substitutionDepth) + prompt;
  const fd = Number(shell.variables.get('BASH_XTRACEFD') ?? 2);
  await shell.writeDescriptor(shell.descriptors.get(fd) ? fd : 2, encodeText(`${prefix}${text}\n`));
}

/** What a prompt substitutes is not traced itself. */
async function expandUntraced(shell: Shell, prompt: ShellText): Promise<ShellText> {
  shell.options.set('xtrace', false);
  try {
    return await expandPrompt(prompt, shell.scope);
  } finally {
    shell.options.set('xtrace', true);
  }
}

function quoteForTrace(word: ShellText): ShellText {
  return word === '' ? "''" : quoteValue(word);
}

function quoteValue(word: ShellText): ShellText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what ANSI quotes are for.
  if (/[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]/.test(word)) return quote(word, 'at-q');
  return needsQuotes.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;
}
