import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';
import { matchIn, sortInto, splitInto } from './array-builtins.ts';
import { AwkProblem } from './awk-problem.ts';
import { createRegex } from './awk-regex.ts';
import { type Expression, SyntaxProblem, type Target } from './awk-syntax.ts';
import { builtins } from './builtins.ts';
import type { Machine } from './machine.ts';
import type { ArrayOf, ListOperation, Operation, Place, RegexOperand } from './operation.ts';
import { parseGeneralReplacement, parseReplacement, Substitution } from './substitute.ts';
import { type AwkValue, toNumber } from './values.ts';

/** What the arguments of a call mean where it stands. */
export interface BuiltinNames {
  isArray(name: string): boolean;
  arrayOf(name: string): ArrayOf;
  place(target: Target): Place;
  regexOperand(expression: Expression): RegexOperand;
  globalIndex(name: string): number;
}

const suspending = new Set(['system', 'close', 'fflush', 'sub', 'gsub', 'gensub']);
/** Matches that are replaced before others get the thread. */
const matchesAtOnce = 2000;
const longText = 65_536;

/** A builtin that no program can name: subscripts with SUBSEP between. */
export const joinedSubscripts = '(subscripts)';

export function builtinOperation(
  expression: Expression & { type: 'builtin' },
  names: BuiltinNames,
): Operation | ListOperation {
  const { name, args, line } = expression;
  const [first, second, third] = args;
  const wrong = () => new SyntaxProblem(`line ${line}: wrong number of arguments in call to ${name}`);
  if (name === joinedSubscripts) {
    return {
      operands: args,
      isDirect: true,
      applyAll: (machine, values) => values.map((value) => machine.text(value)).join(machine.settings.subsep),
    };
  }
  if (name === 'length' && first?.type === 'variable' && args.length === 1 && names.isArray(first.name)) {
    const array = names.arrayOf(first.name);
    return { operands: [], apply: (machine) => array(machine).size };
  }
  if (name === 'split') {
    if (first === undefined || second?.type !== 'variable' || args.length > 3) throw wrong();
    const array = names.arrayOf(second.name);
    if (third === undefined) {
      return {
        operands: [first],
        apply: (machine, text) =>
          splitInto(machine, { text: machine.text(text), array: array(machine), separator: 'fs' }),
      };
    }
    if (third.type !== 'regex') {
      return {
        operands: [first, third],
        apply: (machine, text, separator) =>
          splitInto(machine, { text: machine.text(text), array: array(machine), separator }),
      };
    }
    const separator = constantRegex(third.pattern);
    return {
      operands: [first],
      apply: (machine, text) =>
        splitInto(machine, { text: machine.text(text), array: array(machine), separator }),
    };
  }
  if (name === 'match') {
    if (first === undefined || second === undefined || args.length > 3) throw wrong();
    const regex = names.regexOperand(second);
    const array = third?.type === 'variable' ? names.arrayOf(third.name) : undefined;
    for (const special of ['RSTART', 'RLENGTH']) names.globalIndex(special);
    return {
      operands: [first, ...regex.operands],
      apply: (machine, text, pattern) =>
        matchIn(machine, {
          text: machine.text(text),
          regex: regex.get(machine, pattern),
          array: array?.(machine),
        }),
    };
  }
  if (name === 'asort' || name === 'asorti') {
    if (first?.type !== 'variable' || args.length > 2) throw wrong();
    const source = names.arrayOf(first.name);
    const target = second?.type === 'variable' ? names.arrayOf(second.name) : source;
    const by = name === 'asort' ? 'values' : 'indices';
    return {
      operands: [],
      apply: (machine) => sortInto(machine, { source: source(machine), target: target(machine), by }),
    };
  }
  if (suspending.has(name)) return suspendingOperation(expression, names);
  const builtin = builtins.get(name);
  if (builtin === undefined) throw new SyntaxProblem(`line ${line}: function ${name} never defined`);
  const [only] = args;
  const operands = name === 'sprintf' && args.length === 1 && only?.type === 'list' ? only.items : args;
  if (operands.length < builtin.least || operands.length > builtin.most) throw wrong();
  return { operands, isDirect: true, applyAll: builtin.apply };
}

function suspendingOperation(
  { name, args, line }: Expression & { type: 'builtin' },
  names: BuiltinNames,
): ListOperation {
  const [first, second, third, fourth] = args;
  const wrong = () => new SyntaxProblem(`line ${line}: wrong number of arguments in call to ${name}`);
  switch (name) {
    case 'system':
      if (first === undefined || args.length > 1) throw wrong();
      return {
        operands: args,
        isDirect: false,
        applyAll: (machine, [command]) => machine.files.system(machine.text(command)),
      };
    case 'close':
      if (first === undefined || args.length > 2) throw wrong();
      return {
        operands: [first],
        isDirect: false,
        applyAll: (machine, [file]) => machine.files.close(machine.text(file)),
      };
    case 'fflush':
      if (args.length > 1) throw wrong();
      return {
        operands: args,
        isDirect: false,
        applyAll: (machine, [file]) =>
          machine.files
            .flush(file === undefined ? undefined : machine.text(file))
            .then((isOpen) => (isOpen ? 0 : -1)),
      };
    case 'gensub': {
      if (first === undefined || second === undefined || third === undefined || args.length > 4)
        throw wrong();
      const regex = names.regexOperand(first);
      const target: Expression = fourth ?? { type: 'field', index: { type: 'number', value: 0 } };
      return {
        operands: [...regex.operands, second, third, target],
        isDirect: false,
        applyAll: (machine, values) => {
          const [replacement, which, text] = values.slice(-3);
          const substitution = new Substitution({
            regex: regex.get(machine, values[0]),
            replacement: parseGeneralReplacement(machine.text(replacement)),
            text: machine.text(text),
            which: /^[gG]/.test(machine.text(which)) ? 'all' : Math.max(1, Math.trunc(toNumber(which)) || 1),
          });
          return finish(machine, substitution, machine.text(text), () => substitution.result);
        },
      };
    }
    default: {
      if (first === undefined || second === undefined || args.length > 3) throw wrong();
      const regex = names.regexOperand(first);
      const target: Expression = third ?? { type: 'field', index: { type: 'number', value: 0 } };
      const inner = target.type === 'group' ? target.expression : target;
      const isPlace = inner.type === 'variable' || inner.type === 'field' || inner.type === 'element';
      const place = isPlace ? names.place(inner) : undefined;
      const operands = place?.operands ?? [target];
      const which = name === 'gsub' ? 'all' : 1;
      return {
        operands: [...regex.operands, second, ...operands],
        isDirect: false,
        applyAll: (machine, values) => {
          const key = operands.length > 0 ? values.at(-1) : undefined;
          const replacement = values[regex.operands.length];
          const text = machine.text(place ? place.read(machine, key) : key);
          const substitution = new Substitution({
            regex: regex.get(machine, values[0]),
            replacement: parseReplacement(machine.text(replacement)),
            text,
            which,
          });
          return finish(machine, substitution, text, () => {
            if (substitution.count > 0) place?.write(machine, key, substitution.result);
            return substitution.count;
          });
        },
      };
    }
  }
}

export function constantRegex(pattern: ShellText): Regex {
  try {
    return createRegex(pattern);
  } catch (error) {
    if (!(error instanceof AwkProblem)) throw error;
    throw new SyntaxProblem(`line 1: ${error.message}`);
  }
}

/** Carries a substitution through: at once where the text is short. */
function finish(
  machine: Machine,
  substitution: Substitution,
  text: ShellText,
  result: () => AwkValue,
): AwkValue | Promise<AwkValue> {
  machine.spend(text.length);
  if (text.length < longText) {
    while (!substitution.advance(matchesAtOnce));
    return result();
  }
  return carryThrough(machine, substitution).then(result);
}

async function carryThrough({ steps }: Machine, substitution: Substitution): Promise<void> {
  while (!substitution.advance(matchesAtOnce)) await steps.next();
}
