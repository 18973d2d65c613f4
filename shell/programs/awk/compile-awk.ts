import type { ShellText } from '../../text.ts';
import type { AwkProgram, Pattern, Redirection, Scope, Statement } from './awk-syntax.ts';
import { SyntaxProblem } from './awk-syntax.ts';
import { ExpressionCompiler } from './compile-expression.ts';
import type { FunctionInfo, Label } from './compile-names.ts';
import { formatValues } from './format-values.ts';
import { type CompiledProgram, type KeyIterator, limitText, type Machine } from './machine.ts';
import { type AwkValue, InputText, numberText, toNumber } from './values.ts';

const alwaysThere = [
  ...[
    'FS',
    'OFS',
    'ORS',
    'RS',
    'NF',
    'NR',
    'FNR',
    'SUBSEP',
    'CONVFMT',
    'OFMT',
    'RSTART',
    'RLENGTH',
    'FILENAME',
  ],
  ...['ENVIRON', 'ARGV', 'ARGC'],
];

/** @throws SyntaxProblem */
export function compileAwk(program: AwkProgram): CompiledProgram {
  inferArrays(program);
  const functions = new Map<string, FunctionInfo>();
  for (const [name, definition] of program.functions) functions.set(name, { definition, entry: { at: 0 } });
  const arrays = new Set([...program.scope.arrays, 'ENVIRON', 'ARGV']);
  const globals = new Map(
    [...new Set([...alwaysThere, ...arrays])].map((name, index) => [name, index] as const),
  );
  return new ProgramCompiler({ globals, arrays, functions }).compile(program);
}

/** Names are arrays where they are used so, or go to functions that do, or to parameters that are given arrays. */
function inferArrays({ scope, functions }: AwkProgram): void {
  const scopes: Scope[] = [scope, ...[...functions.values()].map((definition) => definition.scope)];
  const isArray = (from: Scope, name: string) =>
    from.parameters.includes(name) ? from.arrays.has(name) : scope.arrays.has(name);
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const from of scopes) {
      for (const { name, args } of from.calls) {
        const called = functions.get(name)?.scope;
        if (called === undefined) continue;
        for (const [index, arg] of args.entries()) {
          const parameter = called.parameters[index];
          if (arg === undefined || parameter === undefined) continue;
          const isGiven = isArray(from, arg);
          const isWanted = called.arrays.has(parameter);
          if (isGiven === isWanted) continue;
          hasChanged = true;
          called.arrays.add(parameter);
          (from.parameters.includes(arg) ? from : scope).arrays.add(arg);
        }
      }
    }
  }
}

const charactersPerKey = 8;

interface Loop {
  readonly end: Label;
  readonly next: Label;
}

/** Compiles statements, rules and functions. */
class ProgramCompiler extends ExpressionCompiler {
  readonly #loops: Loop[] = [];
  readonly #records: Label = { at: 0 };
  #ranges = 0;

  compile({ begin, rules, end, functions }: AwkProgram): CompiledProgram {
    const endLabel: Label = { at: 0 };
    for (const action of begin) this.#statement(action);
    if (rules.length > 0 || end.length > 0) {
      this.mark(this.#records);
      this.emit((machine) => {
        machine.isReading = true;
        const record = machine.nextRecord();
        if (record instanceof Promise) return record.then((text) => begins(machine, text, endLabel));
        return begins(machine, record, endLabel);
      });
      for (const { pattern, action } of rules) this.#rule(pattern, action);
      this.jump(this.#records);
    }
    this.mark(endLabel);
    this.emit((machine) => {
      machine.isInEnd = true;
    });
    for (const action of end) this.#statement(action);
    this.emit((machine) => machine.exit(undefined));
    for (const { name, scope, body } of functions.values()) {
      const info = this.names.functions.get(name);
      if (info === undefined) continue;
      if (scope.parameters.some((parameter) => functions.has(parameter) || parameter === name)) {
        throw new SyntaxProblem(`line 1: a parameter of ${name} is a function`);
      }
      this.mark(info.entry);
      this.running = info.definition;
      this.#statement(body);
      this.running = undefined;
      this.emit((machine) => machine.return(undefined));
    }
    const { globals, arrays } = this.names;
    return { code: this.code, globals, arrays, ranges: this.#ranges, end: endLabel.at };
  }

  #rule(pattern: Pattern, action: Statement | undefined): void {
    const skip: Label = { at: 0 };
    if (pattern.type === 'expression') this.jumpIf(pattern.test, false, skip);
    if (pattern.type === 'range') {
      const index = this.#ranges;
      this.#ranges += 1;
      const inside: Label = { at: 0 };
      const run: Label = { at: 0 };
      this.emit((machine) => {
        if (machine.ranges[index]) machine.pc = inside.at;
      });
      this.jumpIf(pattern.from, false, skip);
      this.emit((machine) => {
        machine.ranges[index] = true;
      });
      this.mark(inside);
      this.jumpIf(pattern.to, false, run);
      this.emit((machine) => {
        machine.ranges[index] = false;
      });
      this.mark(run);
    }
    this.#statement(action ?? { type: 'print', args: [], redirection: undefined });
    this.mark(skip);
  }

  #statement(statement: Statement): void {
    switch (statement.type) {
      case 'block':
        for (const inner of statement.statements) this.#statement(inner);
        return;
      case 'expression': {
        if (this.isDirect(statement.expression)) {
          const evaluate = this.direct(statement.expression);
          this.emit((machine) => {
            evaluate(machine);
          });
          return;
        }
        this.push(statement.expression);
        this.emit((machine) => {
          machine.stack.pop();
        });
        return;
      }
      case 'print':
      case 'printf':
        this.#print(statement);
        return;
      case 'if': {
        const no: Label = { at: 0 };
        const end: Label = { at: 0 };
        this.jumpIf(statement.test, false, no);
        this.#statement(statement.yes);
        if (statement.no) this.jump(end);
        this.mark(no);
        if (statement.no) this.#statement(statement.no);
        this.mark(end);
        return;
      }
      case 'while':
        this.#loop({ test: statement.test, body: statement.body });
        return;
      case 'for':
        if (statement.start) this.#statement(statement.start);
        this.#loop(statement);
        return;
      case 'do': {
        const start: Label = { at: this.code.length };
        const loop: Loop = { end: { at: 0 }, next: { at: 0 } };
        this.#inLoop(loop, statement.body);
        this.mark(loop.next);
        this.jumpIf(statement.test, true, start);
        this.mark(loop.end);
        return;
      }
      case 'for-in':
        this.#forIn(statement);
        return;
      case 'break':
        this.jump(this.#innermost().end);
        return;
      case 'continue':
        this.jump(this.#innermost().next);
        return;
      case 'next':
      case 'nextfile': {
        const isFile = statement.type === 'nextfile';
        this.emit((machine) => {
          if (machine.isInEnd || !machine.isReading) machine.fail(`${statement.type} used in BEGIN or END`);
          if (isFile) machine.skipFile();
          machine.unwind();
          machine.pc = this.#records.at;
        });
        return;
      }
      case 'exit': {
        const { value } = statement;
        if (value) this.push(value);
        this.emit((machine) => machine.exit(value ? toNumber(machine.pop()) || 0 : undefined));
        return;
      }
      case 'return':
        this.push(statement.value ?? { type: 'string', value: '' });
        this.emit((machine) => machine.return(machine.pop()));
        return;
      case 'delete': {
        const array = this.arrayOf(statement.array);
        if (statement.subscripts === undefined) {
          this.emit((machine) => array(machine).clear());
          return;
        }
        const place = this.place({
          type: 'element',
          array: statement.array,
          subscripts: statement.subscripts,
        });
        for (const operand of place.operands) this.push(operand);
        this.emit((machine) => array(machine).delete(machine.text(machine.pop())));
        return;
      }
    }
  }

  #innermost(): Loop {
    const loop = this.#loops.at(-1);
    if (loop === undefined) throw new SyntaxProblem('line 1: break or continue outside of loop');
    return loop;
  }

  #inLoop(loop: Loop, body: Statement): void {
    this.#loops.push(loop);
    this.#statement(body);
    this.#loops.pop();
  }

  #loop({
    test,
    step,
    body,
  }: Pick<Statement & { type: 'for' }, 'test' | 'body'> & { step?: Statement | undefined }): void {
    const loop: Loop = { end: { at: 0 }, next: { at: 0 } };
    const start: Label = { at: this.code.length };
    if (test) this.jumpIf(test, false, loop.end);
    this.#inLoop(loop, body);
    this.mark(loop.next);
    if (step) this.#statement(step);
    this.jump(start);
    this.mark(loop.end);
  }

  /** The names stand on the stack while the loop goes. */
  #forIn({ target, array, body }: Statement & { type: 'for-in' }): void {
    const over = this.arrayOf(array);
    const { write } = this.place(target);
    const loop: Loop = { end: { at: 0 }, next: { at: 0 } };
    this.emit((machine) => {
      const keys = over(machine).keys();
      machine.spend(keys.length * charactersPerKey);
      machine.stack.push({ keys, at: 0 });
    });
    this.mark(loop.next);
    this.emit((machine) => {
      const iterator = machine.stack.at(-1) as KeyIterator;
      const key = iterator.keys[iterator.at];
      if (key === undefined) {
        machine.pc = loop.end.at;
        return;
      }
      iterator.at += 1;
      write(machine, undefined, new InputText(key));
    });
    this.#inLoop(loop, body);
    this.jump(loop.next);
    this.mark(loop.end);
    this.emit((machine) => {
      machine.stack.pop();
    });
  }

  #print({ type, args, redirection }: Statement & { type: 'print' | 'printf' }): void {
    const textOf = type === 'print' ? printed : formatted;
    const kind = redirection?.kind;
    const isDirect =
      args.every((arg) => this.isDirect(arg)) && (!redirection || this.isDirect(redirection.target));
    if (isDirect) {
      const values = args.map((arg) => this.direct(arg));
      const target = redirection && this.direct(redirection.target);
      this.emit((machine) => {
        const text = textOf(
          machine,
          values.map((value) => value(machine)),
        );
        return written(machine, text, { kind, name: target?.(machine) });
      });
      return;
    }
    for (const arg of args) this.push(arg);
    if (redirection) this.push(redirection.target);
    this.emit((machine) => {
      const name = redirection ? machine.pop() : undefined;
      return written(machine, textOf(machine, machine.popAll(args.length)), { kind, name });
    });
  }
}

function begins(machine: Machine, record: ShellText | undefined, end: Label): void {
  if (record === undefined) machine.pc = end.at;
  else machine.fields.record = new InputText(record);
}

function printed(machine: Machine, values: readonly AwkValue[]): ShellText {
  const { ofs, ors, ofmt } = machine.settings;
  if (values.length === 0) return machine.fields.record.text + ors;
  let text = '';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ofs;
    text += typeof value === 'number' ? numberText(value, ofmt) : machine.text(value);
  }
  return limitText(text + ors);
}

function formatted(machine: Machine, [format, ...args]: readonly AwkValue[]): ShellText {
  return formatValues(machine.text(format), args, { convfmt: machine.settings.convfmt, name: 'printf' });
}

function written(
  machine: Machine,
  text: ShellText,
  { kind, name }: { kind: Redirection['kind'] | undefined; name: AwkValue },
): Promise<void> | undefined {
  return machine.files.write(kind, kind === undefined ? '' : machine.text(name), text);
}
