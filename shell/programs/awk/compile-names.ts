import { AwkArray } from './awk-array.ts';
import { AwkProblem } from './awk-problem.ts';
import { type AwkFunction, type Expression, SyntaxProblem, type Target } from './awk-syntax.ts';
import { type BuiltinNames, constantRegex, joinedSubscripts } from './compile-builtin.ts';
import { specialVariables } from './machine.ts';
import type { ArrayOf, Place, RegexOperand } from './operation.ts';
import { type AwkValue, toNumber } from './values.ts';

/** A place in the code, which may not be known yet. */
export interface Label {
  at: number;
}

export interface FunctionInfo {
  readonly definition: AwkFunction;
  readonly entry: Label;
}

export interface Names {
  readonly globals: Map<string, number>;
  readonly arrays: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, FunctionInfo>;
}

/** Finds what names, fields and elements stand for where they are used. */
export class NameCompiler implements BuiltinNames {
  protected readonly names: Names;
  /** The function that is being compiled. */
  protected running: AwkFunction | undefined;

  constructor(names: Names) {
    this.names = names;
  }

  place(target: Target): Place {
    switch (target.type) {
      case 'field':
        return {
          operands: [target.index],
          read: (machine, index) => machine.fields.get(fieldNumber(index)),
          write: (machine, index, value) => machine.fields.set(fieldNumber(index), value),
        };
      case 'element': {
        const array = this.arrayOf(target.array);
        return {
          operands: [this.key(target.subscripts)],
          read: (machine, key) => array(machine).get(machine.text(key)),
          write: (machine, key, value) => array(machine).set(machine.text(key), value),
        };
      }
      case 'variable':
        return this.#variable(target.name);
    }
  }

  #variable(name: string): Place {
    const local = this.running?.scope.parameters.indexOf(name) ?? -1;
    if (local >= 0) {
      if (this.running?.scope.arrays.has(name)) throw illegalArray(name);
      return {
        operands: [],
        read: (machine) => {
          const value = machine.stack[machine.base + local];
          if (value instanceof AwkArray) throw new AwkProblem(`the array ${name} is used as a value`);
          return value as AwkValue;
        },
        write: (machine, _, value) => {
          machine.stack[machine.base + local] = value;
        },
      };
    }
    if (this.names.arrays.has(name)) throw illegalArray(name);
    const index = this.globalIndex(name);
    const special = specialVariables.get(name);
    const write: Place['write'] = special
      ? (machine, _, value) => {
          machine.globals[index] = value;
          special(machine, value);
        }
      : (machine, _, value) => {
          machine.globals[index] = value;
        };
    switch (name) {
      case 'NF':
        return { operands: [], write, read: (machine) => machine.fields.count };
      case 'NR':
        return { operands: [], write, read: (machine) => machine.records };
      case 'FNR':
        return { operands: [], write, read: (machine) => machine.fileRecords };
      default:
        return { operands: [], write, read: (machine) => machine.globals[index] as AwkValue };
    }
  }

  globalIndex(name: string): number {
    const known = this.names.globals.get(name);
    if (known !== undefined) return known;
    const index = this.names.globals.size;
    this.names.globals.set(name, index);
    return index;
  }

  isArray(name: string): boolean {
    const isLocal = this.running?.scope.parameters.includes(name) ?? false;
    return isLocal ? (this.running?.scope.arrays.has(name) ?? false) : this.names.arrays.has(name);
  }

  arrayOf(name: string): ArrayOf {
    if (this.names.functions.has(name)) throw new SyntaxProblem(`line 1: improper use of function ${name}`);
    const local = this.running?.scope.parameters.indexOf(name) ?? -1;
    if (local >= 0) return (machine) => machine.localArray(local);
    const index = this.globalIndex(name);
    return (machine) => machine.array(index);
  }

  protected key(subscripts: readonly Expression[]): Expression {
    const [only] = subscripts;
    if (subscripts.length === 1 && only !== undefined) return only;
    return { type: 'builtin', name: joinedSubscripts, args: subscripts, line: 0 };
  }

  /** A regular expression as an operand: known at once where it is written down. */
  regexOperand(expression: Expression): RegexOperand {
    if (expression.type === 'group') return this.regexOperand(expression.expression);
    if (expression.type !== 'regex')
      return { operands: [expression], get: (machine, pattern) => machine.regexOf(pattern) };
    const regex = constantRegex(expression.pattern);
    return { operands: [], get: () => regex };
  }
}

function illegalArray(name: string): SyntaxProblem {
  return new SyntaxProblem(`line 1: illegal reference to array ${name}`);
}

function fieldNumber(value: AwkValue): number {
  return Math.trunc(toNumber(value)) || 0;
}
