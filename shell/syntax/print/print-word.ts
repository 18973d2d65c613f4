import type {
  ParameterExpansionPart,
  ParameterOperation,
  SourcedSubstitution,
  SourcedWordNode,
  WordNode,
  WordPart,
} from '../ast.ts';

/** Prints the commands of a substitution. */
type PrintScript = (script: Extract<WordPart, { type: 'CommandSubstitution' }>['body']) => string;

/** A word as it stood in the source; of one that was made, text that is read as the same. */
export function printWord(word: WordNode, printScript: PrintScript): string {
  if ('source' in word) {
    const { source } = word as SourcedWordNode;
    return withoutContinuations(withPrintedSubstitutions(source, word.parts, printScript));
  }
  return printParts(word.parts, printScript);
}

/** bash shows the commands of a substitution as it shows others, whatever blanks they were written with. */
function withPrintedSubstitutions(
  source: string,
  parts: readonly WordPart[],
  printScript: PrintScript,
): string {
  let printed = '';
  let at = 0;
  for (const part of substitutionsIn(parts)) {
    const start = source.indexOf(part.source, at);
    if (start === -1) continue;
    printed += source.slice(at, start) + printPart(part, printScript);
    at = start + part.source.length;
  }
  return printed + source.slice(at);
}

function substitutionsIn(parts: readonly WordPart[]): SourcedSubstitution[] {
  return parts.flatMap((part) => {
    if ('source' in part) return [part as SourcedSubstitution];
    if (part.type === 'DoubleQuoted') return substitutionsIn(part.parts);
    if (part.type !== 'ParameterExpansion' || part.operation === null) return [];
    const { operation } = part;
    return 'word' in operation && operation.word ? substitutionsIn(operation.word.parts) : [];
  });
}

function withoutContinuations(source: string): string {
  return source.includes('\\\n') && !source.includes("'") ? source.replaceAll('\\\n', '') : source;
}

function printParts(parts: readonly WordPart[], printScript: PrintScript): string {
  return parts.map((part) => printPart(part, printScript)).join('');
}

function printPart(part: WordPart, printScript: PrintScript): string {
  switch (part.type) {
    case 'Literal':
      return part.value;
    case 'Glob':
      return part.pattern;
    case 'SingleQuoted':
      return `'${part.value.replaceAll("'", "'\\''")}'`;
    case 'Escaped':
      return `\\${part.value}`;
    case 'DoubleQuoted':
      return `"${printParts(part.parts, printScript)}"`;
    case 'TildeExpansion':
      return `~${part.user ?? ''}`;
    case 'CommandSubstitution':
      return `$(${printScript(part.body)})`;
    case 'ProcessSubstitution':
      return `${part.direction === 'input' ? '<' : '>'}(${printScript(part.body)})`;
    case 'ArithmeticExpansion':
      return `$((${part.expression.originalText ?? ''}))`;
    case 'BraceExpansion':
      return `{${part.items.map((item) => printItem(item, printScript)).join(',')}}`;
    case 'ParameterExpansion':
      return printParameter(part, printScript);
  }
}

function printItem(
  item: Extract<WordPart, { type: 'BraceExpansion' }>['items'][number],
  printScript: PrintScript,
): string {
  if (item.type === 'Word') return printWord(item.word, printScript);
  const { start, end, startStr, endStr, step } = item;
  return `${startStr ?? start}..${endStr ?? end}${step === undefined ? '' : `..${step}`}`;
}

function printParameter({ parameter, operation }: ParameterExpansionPart, printScript: PrintScript): string {
  if (operation === null) return `\${${parameter}}`;
  switch (operation.type) {
    case 'ArrayKeys':
      return `\${!${operation.array}[${operation.star ? '*' : '@'}]}`;
    case 'VarNamePrefix':
      return `\${!${operation.prefix}${operation.star ? '*' : '@'}}`;
    case 'BadSubstitution':
      return operation.text;
    case 'Length':
      return `\${#${parameter}}`;
    case 'Indirection':
      return `\${!${parameter}${operation.innerOp ? printOperation(operation.innerOp, printScript) : ''}}`;
    default:
      return `\${${parameter}${printOperation(operation, printScript)}}`;
  }
}

function printOperation(operation: ParameterOperation, printScript: PrintScript): string {
  const word = (node: WordNode | null): string => (node ? printWord(node, printScript) : '');
  switch (operation.type) {
    case 'DefaultValue':
      return `${operation.checkEmpty ? ':' : ''}-${word(operation.word)}`;
    case 'AssignDefault':
      return `${operation.checkEmpty ? ':' : ''}=${word(operation.word)}`;
    case 'ErrorIfUnset':
      return `${operation.checkEmpty ? ':' : ''}?${word(operation.word)}`;
    case 'UseAlternative':
      return `${operation.checkEmpty ? ':' : ''}+${word(operation.word)}`;
    case 'Substring': {
      const length = operation.length ? `:${operation.length.originalText ?? ''}` : '';
      return `:${operation.offset.originalText ?? ''}${length}`;
    }
    case 'PatternRemoval': {
      const symbol = operation.side === 'prefix' ? '#' : '%';
      return `${operation.greedy ? symbol + symbol : symbol}${word(operation.pattern)}`;
    }
    case 'PatternReplacement': {
      const anchor = operation.anchor === 'start' ? '#' : operation.anchor === 'end' ? '%' : '';
      const replacement = operation.replacement ? `/${word(operation.replacement)}` : '';
      return `/${operation.all ? '/' : anchor}${word(operation.pattern)}${replacement}`;
    }
    case 'CaseModification': {
      const symbol = operation.direction === 'upper' ? '^' : ',';
      return `${operation.all ? symbol + symbol : symbol}${word(operation.pattern)}`;
    }
    case 'Transform':
      return `@${operation.operator}`;
    default:
      return '';
  }
}
