import { describe, expect, test } from 'vitest';
import { ShellVariables } from './shell-variables.ts';
import { AssignmentError } from './variables.ts';

function withText(texts: Record<string, string>): ShellVariables {
  const variables = new ShellVariables();
  for (const [name, text] of Object.entries(texts)) variables.set(name, text);
  return variables;
}

describe('Scopes', () => {
  test('A name means what the innermost function that has it says, its callers included', () => {
    const variables = withText({ x: 'global' });
    variables.pushScope();
    variables.declare('x', { local: true });
    variables.set('x', 'outer');
    variables.pushScope();
    expect(variables.get('x')).toBe('outer');
    variables.set('x', 'changed');
    variables.popScope();
    expect(variables.get('x')).toBe('changed');
    variables.popScope();
    expect(variables.get('x')).toBe('global');
  });

  test('An own local variable that is unset stays local, one of the caller uncovers the one below', () => {
    const variables = withText({ x: 'global' });
    variables.pushScope();
    variables.declare('x', { local: true });
    variables.set('x', 'local');
    variables.pushScope();
    variables.unset('x');
    expect(variables.get('x')).toBe('global');
    variables.popScope();
    variables.declare('x', { local: true });
    variables.unset('x');
    expect(variables.get('x')).toBeUndefined();
    variables.popScope();
    expect(variables.get('x')).toBe('global');
  });

  test('What is made local under an assignment before a command is of the function', () => {
    const variables = new ShellVariables();
    variables.pushScope();
    variables.pushScope('temporary');
    variables.declare('t', { temporary: true });
    variables.declare('v', { local: true });
    variables.set('v', '1');
    variables.popScope();
    expect(variables.get('v')).toBe('1');
    variables.popScope();
    expect(variables.get('v')).toBeUndefined();
  });

  test('An assignment before a call is a local variable of the function', () => {
    const variables = withText({ v: 'global' });
    variables.pushScope('temporary');
    variables.declare('v', { temporary: true, add: ['export'] });
    variables.set('v', 'temporary');
    variables.pushScope('call');
    variables.declare('v', { local: true });
    expect(variables.get('v')).toBe('temporary');
    variables.unset('v');
    expect(variables.get('v')).toBeUndefined();
    variables.popScope();
    variables.popScope();
    expect(variables.get('v')).toBe('global');
  });

  test('A copy shares nothing', () => {
    const variables = withText({ x: '1' });
    variables.setElement('a', 2, 'y');
    const copy = variables.clone();
    copy.set('x', '2');
    copy.setElement('a', 1, 'z');
    expect([variables.get('x'), variables.elements('a'), copy.elements('a')]).toEqual([
      '1',
      ['y'],
      ['z', 'y'],
    ]);
  });
});

describe('Attributes', () => {
  test('A readonly variable is not written and not unset', () => {
    const variables = withText({ x: '1' });
    variables.declare('x', { add: ['readonly'] });
    expect(() => variables.set('x', '2')).toThrow(new AssignmentError('x: readonly variable'));
    expect(() => variables.unset('x')).toThrow(new AssignmentError('x: cannot unset: readonly variable'));
  });

  test('The environment is what is exported and text', () => {
    const variables = withText({ a: '1', b: '2' });
    variables.declare('a', { add: ['export'] });
    variables.declare('c', { add: ['export'], type: 'indexed' });
    expect(variables.environment()).toEqual(new Map([['a', '1']]));
  });

  test('Names of JavaScript are names like others', () => {
    const variables = withText({ __proto__: 'no', constructor: 'c' });
    variables.set('__proto__', 'p');
    expect([variables.get('__proto__'), variables.get('constructor'), variables.get('toString')]).toEqual([
      'p',
      'c',
      undefined,
    ]);
  });
});

describe('References', () => {
  test('Reading and writing go to the variable, or element, that is referred to', () => {
    const variables = withText({ x: '1' });
    variables.declare('r', { add: ['nameref'] });
    variables.set('r', 'x');
    variables.set('r', '2');
    variables.append('r', '3');
    expect([variables.get('x'), variables.follow('r')]).toEqual(['23', 'x']);
  });

  test('A circle is written to by nobody', () => {
    const variables = new ShellVariables();
    for (const [name, target] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      variables.declare(name, { add: ['nameref'] }).value = { type: 'text', text: target };
    }
    expect(variables.get('a')).toBeUndefined();
    expect(() => variables.set('a', '1')).toThrow('circular name reference');
  });
});

describe('Arrays', () => {
  test('Elements are in the order of their indices, keys in that of bash', () => {
    const variables = new ShellVariables();
    for (const index of [5, 1, 3]) variables.setElement('a', index, String(index));
    variables.setElement('a', -1, 'last');
    expect([variables.keys('a'), variables.elements('a')]).toEqual([
      ['1', '3', '5'],
      ['1', '3', 'last'],
    ]);
    variables.declare('m', { type: 'associative' });
    for (const key of ['a', 'foo', 'bar', 'é', 'zoo', 'x y']) variables.setElement('m', key, key);
    expect(variables.keys('m')).toEqual(['a', 'zoo', 'foo', 'bar', 'x y', 'é']);
  });

  test('An index before the first element is refused', () => {
    const variables = new ShellVariables();
    variables.setElement('a', 1, 'x');
    expect(() => variables.setElement('a', -3, 'y')).toThrow('a[-3]: bad array subscript');
  });

  test('An index that cannot be told from the next is refused', () => {
    const variables = new ShellVariables();
    expect(() => variables.setElement('a', 2 ** 53, 'x')).toThrow('bad array subscript');
    const elements = new Map([[2 ** 53, 'x']]);
    expect(() => variables.setArray('a', { type: 'indexed', elements })).toThrow('bad array subscript');
    variables.setElement('a', 2 ** 53 - 1, 'last');
    expect(variables.element('a', 2 ** 53 - 1)).toBe('last');
  });

  test('One kind does not become the other', () => {
    const variables = new ShellVariables();
    variables.declare('a', { type: 'indexed' });
    expect(() => variables.declare('a', { type: 'associative' })).toThrow(
      'a: cannot convert indexed to associative array',
    );
  });
});
