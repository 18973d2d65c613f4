import type { ShellText } from '../text.ts';
import { AssociativeElements, IndexedElements } from './elements.ts';
import { toCapital, toLower, toUpper } from './letter-case.ts';
import { VariableScopes } from './variable-scopes.ts';
import { checkCount, checkLength, convertTo, elementOf, indexedFrom } from './variable-values.ts';
import {
  AssignmentError,
  type ScopeKind,
  type Variable,
  type Variables,
  type VariableValue,
} from './variables.ts';

export interface ShellVariablesOptions {
  /** The value of an arithmetic expression, for integer variables and for subscripts that are text. */
  readonly evaluate?: (text: ShellText, variables: ShellVariables) => bigint;
  /** Whether what is assigned to is exported: `set -a`. */
  readonly exportsAll?: () => boolean;
}

/** Where a name leads: a variable that is there, or a place for one; and an element of it where a reference names one. */
interface Target {
  readonly name: string;
  readonly variable: Variable | undefined;
  readonly key?: ShellText | undefined;
  /** A reference leads back to itself. */
  readonly isCircular?: boolean;
}

type DeclareOptions = Parameters<Variables['declare']>[1];

/** Of these a variable has one: those that are given together cancel each other. */
const letterCases = ['lower', 'upper', 'capital'] as const;

/** References that are followed before it is said to be a circle. */
const referencesDeep = 8;

/** The variables of one shell. */
export class ShellVariables implements Variables {
  readonly #options: ShellVariablesOptions;
  readonly #scopes: VariableScopes;

  constructor(options: ShellVariablesOptions = {}, scopes: VariableScopes = new VariableScopes()) {
    this.#options = options;
    this.#scopes = scopes;
  }

  get depth(): number {
    return this.#scopes.depth;
  }

  pushScope(kind: ScopeKind = 'function'): void {
    this.#scopes.push(kind);
  }

  popScope(): void {
    this.#scopes.pop();
  }

  variable(name: string): Variable | undefined {
    return this.#scopes.find(name);
  }

  typeOf(name: string): VariableValue['type'] | undefined {
    return this.#target(name).variable?.value?.type;
  }

  follow(name: string): string {
    const target = this.#target(name);
    return target.key === undefined ? target.name : `${target.name}[${target.key}]`;
  }

  get(name: string): ShellText | undefined {
    const { variable, key } = this.#target(name);
    if (key === '@' || key === '*') return undefined;
    if (key !== undefined) return elementOf(variable, this.#keyOf(variable, key));
    const value = variable?.value;
    if (value === undefined) return undefined;
    if (value.type === 'text') return value.text;
    return value.type === 'indexed' ? value.elements.get(0) : value.elements.get('0');
  }

  elements(name: string): readonly ShellText[] {
    const { variable, key } = this.#target(name);
    const value = variable?.value;
    if (value === undefined) return [];
    if (key === '@' || key === '*') return [];
    if (key !== undefined) {
      const element = elementOf(variable, this.#keyOf(variable, key));
      return element === undefined ? [] : [element];
    }
    return value.type === 'text' ? [value.text] : [...value.elements.values()];
  }

  keys(name: string): readonly ShellText[] {
    const value = this.#target(name).variable?.value;
    if (value === undefined) return [];
    if (value.type === 'text') return ['0'];
    return value.type === 'indexed' ? [...value.elements.keys()].map(String) : [...value.elements.keys()];
  }

  element(name: string, key: ShellText | number): ShellText | undefined {
    const { variable } = this.#target(name);
    return elementOf(variable, this.#keyOf(variable, key));
  }

  set(name: string, text: ShellText): void {
    this.#assign(name, text, false);
  }

  append(name: string, text: ShellText): void {
    this.#assign(name, text, true);
  }

  #assign(name: string, text: ShellText, append: boolean): void {
    const target = this.#target(name);
    if (target.key !== undefined) {
      this.#setElement(target, target.key, text, append);
      return;
    }
    const variable = this.#writable(target);
    if (variable.attributes.has('nameref')) {
      setReference(variable, text);
      return;
    }
    const { value } = variable;
    if (value?.type === 'indexed' || value?.type === 'associative') {
      this.#setElement(target, '0', text, append);
      return;
    }
    variable.value = {
      type: 'text',
      text: this.#converted(variable, text, append ? value?.text : undefined),
    };
  }

  setElement(
    name: string,
    key: ShellText | number,
    text: ShellText,
    { append = false }: { append?: boolean } = {},
  ): void {
    const target = this.#target(name);
    if (target.key !== undefined)
      throw new AssignmentError(`\`${target.name}[${target.key}]': not a valid identifier`);
    this.#setElement(target, key, text, append);
  }

  #setElement(target: Target, key: ShellText | number, text: ShellText, append: boolean): void {
    const variable = this.#writable(target);
    if (variable.attributes.has('nameref')) variable.attributes.delete('nameref');
    if (variable.value === undefined || variable.value.type === 'text') {
      variable.value = { type: 'indexed', elements: indexedFrom(variable.value) };
    }
    const { value } = variable;
    if (value.type === 'associative') {
      const associativeKey = String(key);
      const earlier = append ? value.elements.get(associativeKey) : undefined;
      value.elements.set(associativeKey, this.#converted(variable, text, earlier));
      checkCount(value.elements.size);
      return;
    }
    const index = this.#index(value.elements, key);
    if (index === undefined) throw new AssignmentError(`${target.name}[${key}]: bad array subscript`);
    const earlier = append ? value.elements.get(index) : undefined;
    value.elements.set(index, this.#converted(variable, text, earlier));
    checkCount(value.elements.size);
  }

  setArray(name: string, value: Exclude<VariableValue, { type: 'text' }>): void {
    const target = this.#target(name);
    if (target.key !== undefined)
      throw new AssignmentError(`\`${target.name}[${target.key}]': not a valid identifier`);
    const variable = this.#writable(target);
    checkCount(value.elements.size);
    variable.attributes.delete('nameref');
    if (value.type === 'indexed') {
      const elements = new IndexedElements();
      elements.isAssigned = true;
      for (const [index, text] of value.elements) {
        if (!Number.isSafeInteger(index)) throw new AssignmentError(`${name}[${index}]: bad array subscript`);
        elements.set(index, this.#converted(variable, text, undefined));
      }
      variable.value = { type: 'indexed', elements };
    } else {
      const elements = new AssociativeElements();
      elements.isAssigned = true;
      for (const [key, text] of value.elements) elements.set(key, this.#converted(variable, text, undefined));
      variable.value = { type: 'associative', elements };
    }
  }

  unset(name: string, { reference = false }: { reference?: boolean } = {}): void {
    const target = reference ? { name, variable: this.variable(name) } : this.#target(name);
    if (target.variable === undefined) return;
    if ('key' in target && target.key !== undefined) {
      this.#unsetElement(target, target.key);
      return;
    }
    if (target.variable.attributes.has('readonly')) {
      throw new AssignmentError(`${target.name}: cannot unset: readonly variable`);
    }
    this.#scopes.remove(target.name);
  }

  unsetElement(name: string, key: ShellText | number): void {
    this.#unsetElement(this.#target(name), key);
  }

  #unsetElement({ name, variable }: Target, key: ShellText | number): void {
    if (variable === undefined) return;
    if (variable.attributes.has('readonly'))
      throw new AssignmentError(`${name}: cannot unset: readonly variable`);
    const { value } = variable;
    if (value?.type === 'associative') {
      value.elements.delete(String(key));
    } else if (value?.type === 'indexed') {
      const index = this.#index(value.elements, key);
      if (index === undefined) throw new AssignmentError(`[${key}]: bad array subscript`);
      value.elements.delete(index);
    } else if (value?.type === 'text') {
      if (this.#number(key) !== 0) throw new AssignmentError(`${name}: not an array variable`);
      this.#scopes.remove(name);
    }
  }

  declare(name: string, options: DeclareOptions): Variable {
    const { type, add = [], remove = [] } = options;
    const variable = this.#declared(name, options, [...add, ...remove].includes('nameref'));
    convertTo(type, { name, variable });
    const isReadonly = variable.attributes.has('readonly');
    for (const attribute of remove) {
      if (attribute === 'readonly' && isReadonly) throw new AssignmentError(`${name}: readonly variable`);
      variable.attributes.delete(attribute);
    }
    const added = new Set(add);
    const cases = letterCases.filter((attribute) => added.has(attribute));
    if (cases.length > 0) for (const attribute of letterCases) variable.attributes.delete(attribute);
    if (cases.length > 1) for (const attribute of cases) added.delete(attribute);
    for (const attribute of added) variable.attributes.add(attribute);
    return variable;
  }

  #declared(name: string, options: DeclareOptions, isReference: boolean): Variable {
    checkName(name);
    const here = this.#scopes.declared(name, options);
    if (here && !isReference && here.attributes.has('nameref')) {
      const target = this.#follow(name, here);
      if (target.variable) return target.variable;
      if (target.name !== name) return this.#scopes.make(target.name);
    }
    return here ?? this.#scopes.make(name, options);
  }

  isLocal(name: string): boolean {
    return this.#scopes.isLocal(name);
  }

  names(): readonly string[] {
    return this.#scopes.names();
  }

  environment(): Map<ShellText, ShellText> {
    const environment = new Map<ShellText, ShellText>();
    for (const name of this.names()) {
      const variable = this.variable(name);
      if (variable?.value?.type === 'text' && variable.attributes.has('export')) {
        environment.set(name, variable.value.text);
      }
    }
    return environment;
  }

  clone(options: ShellVariablesOptions = this.#options): ShellVariables {
    return new ShellVariables(options, this.#scopes.clone());
  }

  #target(name: string): Target {
    const variable = this.variable(name);
    if (!variable?.attributes.has('nameref')) return { name, variable };
    return this.#follow(name, variable);
  }

  #follow(name: string, reference: Variable): Target {
    let at: Target = { name, variable: reference };
    for (let depth = 0; depth < referencesDeep; depth++) {
      if (!at.variable?.attributes.has('nameref')) return at;
      const { value } = at.variable;
      // A reference to nothing yet: what is assigned to it is what it refers to.
      if (value?.type !== 'text' || value.text === '') return at;
      const [, base = '', key] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(value.text) ?? [];
      if (base === '') return { name: value.text, variable: undefined };
      // In a function a reference to its own name is the global variable.
      const next = base === at.name ? this.#scopes.global.variables.get(base) : this.variable(base);
      if (next === at.variable) return { name, variable: undefined, isCircular: true };
      if (key !== undefined) {
        const isAssociative = next?.value?.type === 'associative';
        return { name: base, variable: next, key: isAssociative ? this.#plainKey(key) : key };
      }
      at = { name: base, variable: next };
    }
    return { name, variable: undefined, isCircular: true };
  }

  /** A key as a reference has it: its quotes and variables mean what they do in a subscript. */
  #plainKey(source: ShellText): ShellText {
    const token = /'([^']*)'|\\([\s\S])|\$(?:\{(\w+)\}|(\w+))|"/g;
    return source.replace(token, (_, single?: string, escaped?: string, braced?: string, bare?: string) => {
      const name = braced ?? bare;
      return name === undefined ? (single ?? escaped ?? '') : (this.get(name) ?? '');
    });
  }

  /** The variable, made if need be. @throws AssignmentError of a readonly one */
  #writable({ name, variable, isCircular }: Target): Variable {
    if (isCircular) throw new AssignmentError(`warning: ${name}: circular name reference`);
    if (variable?.attributes.has('readonly')) throw new AssignmentError(`${name}: readonly variable`);
    if (!variable) checkName(name);
    const writable = variable ?? this.#scopes.make(name);
    if (this.#options.exportsAll?.()) writable.attributes.add('export');
    return writable;
  }

  /** Text as the variable's attributes have it, after `earlier` where it is appended to that. */
  #converted({ attributes }: Variable, text: ShellText, earlier: ShellText | undefined): ShellText {
    if (attributes.has('integer')) {
      const value = this.#evaluate(text);
      return String(earlier === undefined ? value : BigInt.asIntN(64, this.#evaluate(earlier) + value));
    }
    const joined = earlier === undefined ? text : earlier + text;
    checkLength(joined);
    if (attributes.has('lower')) return toLower(joined);
    if (attributes.has('capital')) return toCapital(joined);
    return attributes.has('upper') ? toUpper(joined) : joined;
  }

  #evaluate(text: ShellText): bigint {
    if (/^(0|-?[1-9]\d{0,17})$/.test(text)) return BigInt(text);
    if (this.#options.evaluate) return this.#options.evaluate(text, this);
    return 0n;
  }

  #number(key: ShellText | number): number {
    return typeof key === 'number' ? key : Number(this.#evaluate(key));
  }

  /** An index that may be told from the end; `undefined` of none, and of one that is larger than can be told from the next. */
  #index(elements: Map<number, ShellText>, key: ShellText | number): number | undefined {
    const index = this.#number(key);
    if (!Number.isSafeInteger(index)) return undefined;
    if (index >= 0) return index;
    const fromEnd = (elements instanceof IndexedElements ? elements.highest : -1) + 1 + index;
    return fromEnd < 0 ? undefined : fromEnd;
  }

  #keyOf(variable: Variable | undefined, key: ShellText | number): ShellText | number | undefined {
    const value = variable?.value;
    if (value?.type === 'associative') return String(key);
    return value?.type === 'indexed' ? this.#index(value.elements, key) : this.#number(key);
  }
}

function setReference(variable: Variable, text: ShellText): void {
  if (!/^[A-Za-z_]\w*(\[.*\])?$/s.test(text)) throw new AssignmentError(`\`${text}': not a valid identifier`);
  variable.value = { type: 'text', text };
}

function checkName(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new AssignmentError(`\`${name}': not a valid identifier`);
}
