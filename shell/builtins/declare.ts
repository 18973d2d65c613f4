import { assign, assignByName } from '../expand/expand.ts';
import { type Builtin, specialBuiltins } from '../interpret/builtin.ts';
import type { BuiltinCall } from '../interpret/builtin-call.ts';
import { ShellExit } from '../interpret/control-flow.ts';
import type { Shell } from '../interpret/shell.ts';
import {
  AssignmentError,
  type Variable,
  type VariableAttribute,
  type VariableValue,
} from '../state/variables.ts';
import type { AssignmentNode } from '../syntax/ast.ts';
import { parse } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';
import { noteDeclaredOnly } from './declaration-text.ts';
import { listFunctions, showFunctions } from './function-listing.ts';
import { type OptionLetters, readOptions } from './option-letters.ts';
import { showAll, showMatching, showNamed } from './variable-listing.ts';

const attributeOfLetter: ReadonlyMap<string, VariableAttribute> = new Map([
  ['c', 'capital'],
  ['i', 'integer'],
  ['l', 'lower'],
  ['n', 'nameref'],
  ['r', 'readonly'],
  ['t', 'trace'],
  ['u', 'upper'],
  ['x', 'export'],
]);

/** Those whose operands may be elements of arrays. */
const takesSubscripts: ReadonlySet<string> = new Set(['declare', 'local', 'typeset']);

/** What a declaration does to each name. */
interface Declaration {
  readonly call: BuiltinCall;
  readonly isLocal: boolean;
  readonly isGlobal: boolean;
  readonly inherits: boolean;
  readonly type: Exclude<VariableValue['type'], 'text'> | undefined;
  readonly add: readonly VariableAttribute[];
  readonly remove: readonly VariableAttribute[];
}

/** `declare` and `typeset` */
export const declare: Builtin = async (shell, call) => {
  const usage = `${call.name} [-aAfFgiIlnrtux] [name[=value] ...] or ${call.name} -p [-aAfFilnrtux] [name ...]`;
  const options = readOptions(shell, call, { letters: 'aAcfFgiIlnprtux', plus: true, usage });
  if (!options) return 2;
  const inFunction = shell.isInFunction;
  return await declareWith(shell, call, {
    options,
    isLocal: inFunction && !options.on.has('g'),
    isGlobal: options.on.has('g'),
  });
};

/** `local` */
export const local: Builtin = async (shell, call) => {
  if (!shell.isInFunction) {
    await shell.tell('local: can only be used in a function');
    return 1;
  }
  if (call.args[0] === '-') {
    keepOptions(shell);
    return 0;
  }
  const usage = 'local [option] name[=value] ...';
  const options = readOptions(shell, call, { letters: 'aAcfFgiIlnprtux', plus: true, usage });
  if (!options) return 2;
  if (options.operands.length === 0) {
    await showMatching(shell, (name) => shell.variables.isLocal(name));
    return 0;
  }
  return await declareWith(shell, call, { options, isLocal: true, isGlobal: false });
};

/** `local -`: `set`'s options are put back when the function returns. */
function keepOptions(shell: Shell): void {
  const frame = shell.frames.findLast(({ type }) => type === 'function');
  if (!frame || frame.restoreOptions) return;
  const kept = shell.options.clone();
  frame.restoreOptions = () => {
    shell.options = kept;
  };
}

/** `export` */
export const exportBuiltin: Builtin = async (shell, call) => {
  const usage = 'export [-fn] [name[=value] ...] or export -p';
  const options = readOptions(shell, call, { letters: 'fnp', usage });
  if (!options) return 2;
  if (options.on.has('f')) return await exportFunctions(shell, options);
  if (options.operands.length === 0) {
    await showMatching(shell, (_, { attributes }) => attributes.has('export'));
    return 0;
  }
  const removes = options.on.has('n');
  return await declareEach(shell, options, {
    call,
    isLocal: false,
    isGlobal: false,
    inherits: false,
    type: undefined,
    add: removes ? [] : ['export'],
    remove: removes ? ['export'] : [],
  });
};

/** `readonly` */
export const readonlyBuiltin: Builtin = async (shell, call) => {
  const usage = 'readonly [-aAf] [name[=value] ...] or readonly -p';
  const options = readOptions(shell, call, { letters: 'aAfp', usage });
  if (!options) return 2;
  if (options.on.has('f')) return await markFunctions(shell, options, { isReadonly: true });
  if (options.operands.length === 0) {
    await showMatching(shell, (_, { attributes }) => attributes.has('readonly'));
    return 0;
  }
  return await declareEach(shell, options, {
    call,
    isLocal: false,
    isGlobal: false,
    inherits: false,
    type: typeOf(options),
    add: ['readonly'],
    remove: [],
  });
};

async function declareWith(
  shell: Shell,
  call: BuiltinCall,
  { options, isLocal, isGlobal }: { options: OptionLetters; isLocal: boolean; isGlobal: boolean },
): Promise<number> {
  const { on, off, operands } = options;
  if (on.has('f') || on.has('F')) {
    const other = [...'aAcilnu'].find((letter) => on.has(letter));
    if (other !== undefined) {
      await shell.tell(`${call.name}: -${other}: invalid option`);
      return 1;
    }
    if (operands.length === 0 && on.has('r'))
      return await listFunctions(shell, { namesOnly: on.has('F'), readonly: true });
    if (operands.length === 0) return await listFunctions(shell, { namesOnly: on.has('F') });
    if ('rxt'.split('').some((letter) => on.has(letter) || off.has(letter))) {
      return await markFunctions(shell, options, {
        ...((on.has('r') || off.has('r')) && { isReadonly: on.has('r') }),
        ...((on.has('x') || off.has('x')) && { isExported: on.has('x') }),
        ...((on.has('t') || off.has('t')) && { isTraced: on.has('t') }),
      });
    }
    return await showFunctions(shell, operands, { namesOnly: on.has('F') });
  }
  const add = attributesOf(on);
  if (on.has('p')) {
    if (operands.length > 0) return await showNamed(shell, call.name, operands);
    await showMatching(shell, (_, variable) => hasAll(variable, add, typeOf(options)));
    return 0;
  }
  if (operands.length === 0) {
    if (add.length === 0 && typeOf(options) === undefined) await showAll(shell);
    else await showMatching(shell, (_, variable) => hasAll(variable, add, typeOf(options)));
    return 0;
  }
  return await declareEach(shell, options, {
    call,
    isLocal,
    isGlobal,
    inherits: on.has('I') || shell.options.hasShopt('localvar_inherit'),
    type: typeOf(options),
    add,
    remove: attributesOf(off),
  });
}

function attributesOf(letters: ReadonlySet<string>): VariableAttribute[] {
  return [...letters].flatMap((letter) => attributeOfLetter.get(letter) ?? []);
}

function typeOf({ on }: OptionLetters): Exclude<VariableValue['type'], 'text'> | undefined {
  if (on.has('A')) return 'associative';
  return on.has('a') ? 'indexed' : undefined;
}

function hasAll(
  { value, attributes }: Variable,
  wanted: readonly VariableAttribute[],
  type: VariableValue['type'] | undefined,
): boolean {
  return (
    (type === undefined || value?.type === type) && wanted.every((attribute) => attributes.has(attribute))
  );
}

async function declareEach(shell: Shell, options: OptionLetters, declaration: Declaration): Promise<number> {
  let status = 0;
  for (const [index, operand] of options.operands.entries()) {
    const array = declaration.call.arrays.get(options.start + index);
    try {
      await declareOne(shell, operand, { ...declaration, array });
    } catch (error) {
      if (!(error instanceof AssignmentError)) throw error;
      await shell.tell(`${declaration.call.name}: ${error.message}`);
      if (isFatal(shell, declaration.call) && !(error instanceof InvalidIdentifier)) throw new ShellExit(1);
      status = 1;
    }
  }
  return status;
}

/** What is to be declared can be no variable. */
class InvalidIdentifier extends AssignmentError {}

/** In POSIX mode, an assignment of `export` or `readonly` that cannot be made ends the shell, unless `command` runs them. */
function isFatal({ options, isInteractive }: Shell, { name, isByCommand }: BuiltinCall): boolean {
  return options.has('posix') && specialBuiltins.has(name) && !isInteractive && !isByCommand;
}

async function declareOne(
  shell: Shell,
  operand: ShellText,
  declaration: Declaration & { readonly array: AssignmentNode | undefined },
): Promise<void> {
  const [, name, subscript, operator, text = ''] =
    /^([A-Za-z_]\w*)(\[.*?\])?(?:(\+?=)(.*))?$/s.exec(operand) ?? [];
  if (name === undefined || (subscript !== undefined && !takesSubscripts.has(declaration.call.name))) {
    throw new InvalidIdentifier(`\`${operand}': not a valid identifier`);
  }
  const { array, isLocal, isGlobal } = declaration;
  const type = declaration.type ?? (subscript === undefined ? undefined : 'indexed');
  const isNew = isLocal && !shell.variables.isLocal(name);
  if (isNew) checkMayBeLocal(shell, name);
  const inherited = isNew && declaration.inherits ? shell.variables.variable(name) : undefined;
  const isExported = isNew && shell.variables.variable(name)?.attributes.has('export');
  const hadNoValue = isNew || shell.variables.variable(name)?.value === undefined;
  const isReference = declaration.add.includes('nameref');
  // What its value expands is of before it is there: `local a=("${a[@]}")`.
  const isOfBefore = isNew && array && declaration.add.length === 0 && type !== 'associative' && !inherited;
  if (isOfBefore) await assign(toArray(array, name), shell.scope, { local: true });
  const early = declaration.add.filter((attribute) => attribute !== 'readonly');
  const variable = shell.variables.declare(name, {
    local: isLocal,
    global: isGlobal,
    ...(type && !(isNew && inherited) && keepsType(shell, { name, type, declaration }) && { type }),
    add: isExported ? [...early, 'export'] : early,
    remove: declaration.remove,
  });
  if (inherited) copyVariable(inherited, variable);
  if (!array && operator === undefined && hadNoValue) noteDeclaredOnly(variable);
  if (isOfBefore) shell.assigned(name);
  else if (array) {
    await assign(toArray(array, name), shell.scope, { local: isLocal });
  } else if (operator !== undefined) {
    if (isReference) setReference(shell, { name, text, variable });
    else if (subscript !== undefined) await assignByName(`${name}${subscript}`, text, shell.scope);
    else await setText(shell, { name, text, variable, append: operator === '+=', declaration });
    shell.assigned(name);
  } else if (isReference) checkReference(variable);
  if (!declaration.add.includes('readonly')) return;
  // Of a reference, it is what it refers to that may be assigned to all the same.
  if (isReference) variable.attributes.add('readonly');
  else shell.variables.declare(name, { local: isLocal, global: isGlobal, add: ['readonly'] });
}

/** `declare -a x` of an array that is associative already is a mistake only where something else is meant. */
function keepsType(
  shell: Shell,
  { name, type, declaration }: { name: string; type: VariableValue['type']; declaration: Declaration },
): boolean {
  const existing = shell.variables.variable(name)?.value?.type;
  return declaration.type !== undefined || existing === undefined || existing === 'text' || existing === type;
}

function toArray(assignment: AssignmentNode, name: string): AssignmentNode {
  return { ...assignment, name };
}

function checkMayBeLocal(shell: Shell, name: string): void {
  if (shell.variables.variable(name)?.attributes.has('readonly')) {
    throw new AssignmentError(`${name}: readonly variable`);
  }
}

function copyVariable(from: Variable, to: Variable): void {
  const { value } = from;
  if (value?.type === 'text') to.value = { ...value };
  else if (value?.type === 'indexed') to.value = { type: 'indexed', elements: new Map(value.elements) };
  else if (value) to.value = { type: 'associative', elements: new Map(value.elements) };
  for (const attribute of from.attributes) to.attributes.add(attribute);
}

/** A variable becomes a reference only where its value is a name. */
function checkReference(variable: Variable): void {
  const { value } = variable;
  if (value?.type !== 'text' || value.text === '' || /^[A-Za-z_]\w*(\[.*\])?$/s.test(value.text)) return;
  variable.attributes.delete('nameref');
  throw new AssignmentError(`\`${value.text}': invalid variable name for name reference`);
}

function setReference(
  shell: Shell,
  { name, text, variable }: { name: string; text: ShellText; variable: Variable },
): void {
  if (!/^[A-Za-z_]\w*(\[.*\])?$/s.test(text)) {
    variable.attributes.delete('nameref');
    throw new AssignmentError(`\`${text}': invalid variable name for name reference`);
  }
  if (text === name) {
    if (!shell.isInFunction) {
      variable.attributes.delete('nameref');
      throw new AssignmentError(`${name}: nameref variable self references not allowed`);
    }
    shell.warn(`warning: ${name}: circular name reference`);
  }
  variable.value = { type: 'text', text };
}

async function setText(
  shell: Shell,
  {
    name,
    text,
    variable,
    append,
    declaration,
  }: { name: string; text: ShellText; variable: Variable; append: boolean; declaration: Declaration },
): Promise<void> {
  // `declare -a x='(1 2)'` is an array as well.
  if (declaration.type !== undefined && /^\(.*\)$/s.test(text)) {
    const assignment = arrayOf(`${name}${append ? '+' : ''}=${text}`);
    if (assignment) {
      await assign(assignment, shell.scope, { local: declaration.isLocal });
      return;
    }
  }
  const visible = shell.variables.variable(name);
  if (declaration.isGlobal && visible !== variable && !visible?.attributes.has('nameref')) {
    const before = variable.value?.type === 'text' ? variable.value.text : '';
    variable.value = { type: 'text', text: append ? before + text : text };
  } else if (append) shell.variables.append(name, text);
  else shell.variables.set(name, text);
}

function arrayOf(source: ShellText): AssignmentNode | undefined {
  const command = parse(source).statements[0]?.pipelines[0]?.commands[0];
  return command?.type === 'SimpleCommand' ? command.assignments[0] : undefined;
}

async function exportFunctions(shell: Shell, options: OptionLetters): Promise<number> {
  return await markFunctions(shell, options, { isExported: !options.on.has('n') });
}

async function markFunctions(
  shell: Shell,
  { operands }: OptionLetters,
  marks: { isExported?: boolean; isReadonly?: boolean; isTraced?: boolean },
): Promise<number> {
  let status = 0;
  for (const name of operands) {
    const called = shell.functions.get(name);
    if (called?.isReadonly && marks.isReadonly === false) {
      await shell.tell(`declare: ${name}: readonly function`);
      status = 1;
    } else if (called) shell.functions.set(name, { ...called, ...marks });
    else {
      await shell.tell(`${name}: not a function`);
      status = 1;
    }
  }
  return status;
}
