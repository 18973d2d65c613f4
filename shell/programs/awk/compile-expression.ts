import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';
import { type Expression, SyntaxProblem } from './awk-syntax.ts';
import { builtinOperation, constantRegex } from './compile-builtin.ts';
import { type Label, NameCompiler } from './compile-names.ts';
import type { Instruction, Machine } from './machine.ts';
import type { Evaluate, ListOperation, Operation } from './operation.ts';
import { calculate, compare, concatenate } from './operations.ts';
import { type AwkValue, InputText, isTrue, toNumber } from './values.ts';

const mostDepth = 500;
/**
 * Compiles expressions: what never waits becomes one function, which is fast; what calls functions or reads becomes
 * instructions that leave the value on the stack, so that a program can be left at any of them.
 */
export class ExpressionCompiler extends NameCompiler {
  readonly code: Instruction[] = [];
  readonly #direct: WeakMap<Expression, boolean> = new WeakMap();
  #depth = 0;

  protected emit(instruction: Instruction): void {
    this.code.push(instruction);
  }

  protected mark(label: Label): void {
    label.at = this.code.length;
  }

  protected jump(label: Label): void {
    this.emit((machine) => {
      machine.pc = label.at;
    });
  }

  /** Jumps where the expression is true, or where it is false. */
  protected jumpIf(test: Expression, wanted: boolean, label: Label): void {
    if (this.isDirect(test)) {
      const evaluate = this.direct(test);
      this.emit((machine) => {
        if (isTrue(evaluate(machine)) === wanted) machine.pc = label.at;
      });
      return;
    }
    this.push(test);
    this.emit((machine) => {
      if (isTrue(machine.pop()) === wanted) machine.pc = label.at;
    });
  }

  /** Emits what leaves the value on the stack. */
  protected push(expression: Expression): void {
    if (this.isDirect(expression)) {
      const evaluate = this.direct(expression);
      this.emit((machine) => {
        machine.stack.push(evaluate(machine));
      });
      return;
    }
    this.#deeper(() => this.#pushSuspending(expression));
  }

  #pushSuspending(expression: Expression): void {
    switch (expression.type) {
      case 'group':
        this.push(expression.expression);
        return;
      case 'logical': {
        const end: Label = { at: 0 };
        const short: Label = { at: 0 };
        const isOr = expression.operator === '||';
        this.jumpIf(expression.left, isOr, short);
        this.push(expression.right);
        this.emit((machine) => {
          machine.stack.push(Number(isTrue(machine.pop())));
          machine.pc = end.at;
        });
        this.mark(short);
        this.emit((machine) => {
          machine.stack.push(Number(isOr));
        });
        this.mark(end);
        return;
      }
      case 'conditional': {
        const no: Label = { at: 0 };
        const end: Label = { at: 0 };
        this.jumpIf(expression.test, false, no);
        this.push(expression.yes);
        this.jump(end);
        this.mark(no);
        this.push(expression.no);
        this.mark(end);
        return;
      }
      case 'call':
        this.#call(expression);
        return;
      case 'getline':
        this.#getline(expression);
        return;
    }
    const operation = this.#operation(expression);
    for (const operand of operation.operands) this.push(operand);
    const count = operation.operands.length;
    if ('applyAll' in operation) {
      this.emit((machine) => {
        const value = operation.applyAll(machine, machine.popAll(count));
        if (value instanceof Promise) {
          return value.then((result) => {
            machine.stack.push(result);
          });
        }
        machine.stack.push(value);
        return undefined;
      });
      return;
    }
    this.emit((machine) => {
      const third = count > 2 ? machine.pop() : undefined;
      const second = count > 1 ? machine.pop() : undefined;
      const first = count > 0 ? machine.pop() : undefined;
      machine.stack.push(operation.apply(machine, first, second, third));
    });
  }

  /** Whether nothing in it can have to be waited for. */
  protected isDirect(expression: Expression): boolean {
    const known = this.#direct.get(expression);
    if (known !== undefined) return known;
    const isDirect = this.#deeper(() => this.#computeDirect(expression));
    this.#direct.set(expression, isDirect);
    return isDirect;
  }

  #computeDirect(expression: Expression): boolean {
    switch (expression.type) {
      case 'call':
      case 'getline':
        return false;
      case 'group':
        return this.isDirect(expression.expression);
      case 'logical':
        return this.isDirect(expression.left) && this.isDirect(expression.right);
      case 'conditional':
        return (
          this.isDirect(expression.test) && this.isDirect(expression.yes) && this.isDirect(expression.no)
        );
    }
    const operation = this.#operation(expression);
    if ('applyAll' in operation && !operation.isDirect) return false;
    return operation.operands.every((operand) => this.isDirect(operand));
  }

  /** As a function; only for what `isDirect`. */
  protected direct(expression: Expression): Evaluate {
    return this.#deeper(() => this.#computeFunction(expression));
  }

  #computeFunction(expression: Expression): Evaluate {
    switch (expression.type) {
      case 'group':
        return this.direct(expression.expression);
      case 'logical': {
        const [left, right] = [this.direct(expression.left), this.direct(expression.right)];
        return expression.operator === '&&'
          ? (machine) => Number(isTrue(left(machine)) && isTrue(right(machine)))
          : (machine) => Number(isTrue(left(machine)) || isTrue(right(machine)));
      }
      case 'conditional': {
        const test = this.direct(expression.test);
        const [yes, no] = [this.direct(expression.yes), this.direct(expression.no)];
        return (machine) => (isTrue(test(machine)) ? yes(machine) : no(machine));
      }
      case 'number':
      case 'string': {
        const { value } = expression;
        return () => value;
      }
    }
    const operation = this.#operation(expression);
    const operands = operation.operands.map((operand) => this.direct(operand));
    if ('applyAll' in operation) {
      return (machine) =>
        operation.applyAll(
          machine,
          operands.map((operand) => operand(machine)),
        ) as AwkValue;
    }
    const { apply } = operation;
    const [first, second, third] = operands;
    if (first === undefined) return (machine) => apply(machine, undefined, undefined, undefined);
    if (second === undefined) return (machine) => apply(machine, first(machine), undefined, undefined);
    if (third === undefined) return (machine) => apply(machine, first(machine), second(machine), undefined);
    return (machine) => apply(machine, first(machine), second(machine), third(machine));
  }

  #deeper<T>(action: () => T): T {
    this.#depth += 1;
    if (this.#depth > mostDepth) throw new SyntaxProblem('line 1: expression nested too deeply');
    const result = action();
    this.#depth -= 1;
    return result;
  }

  #operation(expression: Expression): Operation | ListOperation {
    switch (expression.type) {
      case 'number':
      case 'string': {
        const { value } = expression;
        return { operands: [], apply: () => value };
      }
      case 'regex': {
        const regex = constantRegex(expression.pattern);
        return { operands: [], apply: (machine) => matches(machine, regex, machine.fields.record.text) };
      }
      case 'variable':
      case 'field':
      case 'element': {
        const { operands, read } = this.place(expression);
        return { operands, apply: read };
      }
      case 'assignment': {
        const { operands, read, write } = this.place(expression.target);
        const compute = expression.operator && calculate(expression.operator);
        const store = (machine: Machine, key: AwkValue, value: AwkValue) => {
          const result = compute ? compute(read(machine, key), value) : value;
          write(machine, key, result);
          return result;
        };
        if (operands.length > 0) return { operands: [...operands, expression.value], apply: store };
        return { operands: [expression.value], apply: (machine, value) => store(machine, undefined, value) };
      }
      case 'increment': {
        const { operands, read, write } = this.place(expression.target);
        const { by, isPrefix } = expression;
        return {
          operands,
          apply: (machine, key) => {
            const before = toNumber(read(machine, key));
            write(machine, key, before + by);
            return isPrefix ? before + by : before;
          },
        };
      }
      case 'unary': {
        const operands = [expression.operand];
        if (expression.operator === '!') return { operands, apply: (_, value) => Number(!isTrue(value)) };
        // Zero has no sign.
        if (expression.operator === '-') return { operands, apply: (_, value) => 0 - toNumber(value) };
        return { operands, apply: (_, value) => toNumber(value) };
      }
      case 'arithmetic': {
        const compute = calculate(expression.operator);
        return {
          operands: [expression.left, expression.right],
          apply: (_, left, right) => compute(left, right),
        };
      }
      case 'comparison':
        return { operands: [expression.left, expression.right], apply: compare(expression.operator) };
      case 'concatenation':
        return { operands: expression.parts, isDirect: true, applyAll: concatenate };
      case 'match': {
        const wanted = expression.isNegated ? 0 : 1;
        const regex = this.regexOperand(expression.regex);
        return {
          operands: [expression.text, ...regex.operands],
          apply: (machine, text, pattern) =>
            matches(machine, regex.get(machine, pattern), machine.text(text)) === wanted ? 1 : 0,
        };
      }
      case 'in': {
        const array = this.arrayOf(expression.array);
        return {
          operands: [this.key(expression.subscripts)],
          apply: (machine, key) => Number(array(machine).has(machine.text(key))),
        };
      }
      case 'builtin':
        return builtinOperation(expression, this);
      case 'list':
        throw new SyntaxProblem('line 1: syntax error at or near ,');
      default:
        throw new SyntaxProblem('line 1: syntax error');
    }
  }

  #call({ name, args, line }: Expression & { type: 'call' }): void {
    const info = this.names.functions.get(name);
    if (info === undefined) throw new SyntaxProblem(`line ${line}: function ${name} never defined`);
    const { parameters, arrays } = info.definition.scope;
    if (args.length > parameters.length)
      throw new SyntaxProblem(`line ${line}: too many arguments in call to ${name}`);
    for (const [index, arg] of args.entries()) {
      const isArray = arrays.has(parameters[index] ?? '');
      if (!isArray) {
        this.push(arg);
        continue;
      }
      if (arg.type !== 'variable')
        throw new SyntaxProblem(`line ${line}: type error in arg(${index + 1}) in call to ${name}`);
      const array = this.arrayOf(arg.name);
      this.emit((machine) => {
        machine.stack.push(array(machine));
      });
    }
    const layout = { args: args.length, size: parameters.length };
    this.emit((machine) => machine.call(info.entry.at, layout));
  }

  #getline({ from, source, target }: Expression & { type: 'getline' }): void {
    if (source) this.push(source);
    const place = target && this.place(target);
    for (const operand of place?.operands ?? []) this.push(operand);
    const hasKey = (place?.operands.length ?? 0) > 0;
    const store = (machine: Machine, key: AwkValue, record: ShellText | undefined) => {
      if (record === undefined) return 0;
      if (from === 'command') machine.records += 1;
      const text = new InputText(record);
      if (place) place.write(machine, key, text);
      else machine.fields.record = text;
      return 1;
    };
    this.emit((machine) => {
      const key = hasKey ? machine.pop() : undefined;
      const name = source ? machine.text(machine.pop()) : '';
      const record = from === 'input' ? machine.nextRecord() : recordOf(machine, from, name);
      if (record instanceof Promise) {
        return record.then((text) => {
          machine.stack.push(text === null ? -1 : store(machine, key, text));
        });
      }
      machine.stack.push(record === null ? -1 : store(machine, key, record));
      return undefined;
    });
  }
}

function matches(machine: Machine, regex: Regex, text: ShellText): number {
  machine.spend(text.length);
  return regex.test(text) ? 1 : 0;
}

/** `null` of what cannot be read. */
function recordOf(
  machine: Machine,
  kind: 'file' | 'command',
  name: ShellText,
): ShellText | undefined | null | Promise<ShellText | undefined | null> {
  const { separator } = machine.settings;
  const reader = machine.files.reader(kind, name);
  if (reader === undefined) return null;
  const record =
    reader instanceof Promise ? reader.then((opened) => opened.next(separator)) : reader.next(separator);
  if (!(record instanceof Promise)) return record;
  return record.catch((error: unknown) => {
    // A directory, say.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  });
}
