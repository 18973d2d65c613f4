import { copyValue } from './variable-values.ts';
import type { ScopeKind, Variable, Variables } from './variables.ts';

interface VariableScope {
  readonly isTemporary: boolean;
  readonly variables: Map<string, Variable>;
}

type Placement = Pick<Parameters<Variables['declare']>[1], 'local' | 'global' | 'temporary'>;

/** The global scope, and those within it: a name means what the innermost that has it says. */
export class VariableScopes {
  readonly global: VariableScope = { isTemporary: false, variables: new Map() };
  readonly #scopes: VariableScope[] = [this.global];
  /** Of assignments before a command. */
  readonly #temporary: WeakSet<Variable> = new WeakSet();

  get depth(): number {
    return this.#scopes.length - 1;
  }

  /** The scope of the function that runs, or the global one. */
  get #functionScope(): number {
    return this.#scopes.findLastIndex(({ isTemporary }) => !isTemporary);
  }

  push(kind: ScopeKind): void {
    const variables = new Map<string, Variable>();
    const below = this.#scopes.at(-1);
    if (kind === 'call' && below?.isTemporary) {
      for (const [name, variable] of below.variables) variables.set(name, variable);
      below.variables.clear();
    }
    this.#scopes.push({ isTemporary: kind === 'temporary', variables });
  }

  pop(): void {
    if (this.#scopes.length > 1) this.#scopes.pop();
  }

  find(name: string): Variable | undefined {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const variable = this.#scopes[at]?.variables.get(name);
      if (variable) return variable;
    }
    return undefined;
  }

  isLocal(name: string): boolean {
    const at = this.#functionScope;
    return at > 0 && (this.#scopes[at]?.variables.has(name) ?? false);
  }

  names(): readonly string[] {
    const names = new Set<string>();
    for (const { variables } of this.#scopes) for (const name of variables.keys()) names.add(name);
    return [...names].sort();
  }

  /** The variable that a declaration is of, where it is there. */
  declared(name: string, placement: Placement): Variable | undefined {
    const scope = this.#scopeFor(name, placement);
    const variable = scope ? scope.variables.get(name) : this.find(name);
    if (variable && placement.local) this.#temporary.delete(variable);
    return variable;
  }

  /** A new variable. A local one begins with the value of an assignment before the command that has led here. */
  make(name: string, placement: Placement = {}): Variable {
    const outer = placement.local ? this.find(name) : undefined;
    const variable: Variable = { value: undefined, attributes: new Set() };
    (this.#scopeFor(name, placement) ?? this.global).variables.set(name, variable);
    if (placement.temporary) this.#temporary.add(variable);
    if (outer && this.#temporary.has(outer)) {
      variable.value = copyValue(outer.value);
      variable.attributes.add('export');
    }
    return variable;
  }

  #scopeFor(name: string, { local, global, temporary }: Placement): VariableScope | undefined {
    if (temporary) return this.#scopes.at(-1);
    if (!local) return global ? this.global : undefined;
    const functionScope = this.#functionScope;
    return this.#scopes.findLast(({ variables }, at) => at <= functionScope || variables.has(name));
  }

  /** A local variable of the function that runs stays a local one, without value; of a caller's the outer one is seen then. */
  remove(name: string): void {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const variables = this.#scopes[at]?.variables;
      const variable = variables?.get(name);
      if (!variables || !variable) continue;
      const isOwn = at > 0 && at >= this.#functionScope && !this.#temporary.has(variable);
      if (isOwn) variables.set(name, { value: undefined, attributes: new Set() });
      else variables.delete(name);
      return;
    }
  }

  clone(): VariableScopes {
    const copy = new VariableScopes();
    for (const { isTemporary, variables } of this.#scopes) {
      const scope = variables === this.global.variables ? copy.global : { isTemporary, variables: new Map() };
      if (scope !== copy.global) copy.#scopes.push(scope);
      for (const [name, variable] of variables) {
        const own = { value: copyValue(variable.value), attributes: new Set(variable.attributes) };
        scope.variables.set(name, own);
        if (this.#temporary.has(variable)) copy.#temporary.add(own);
      }
    }
    return copy;
  }
}
