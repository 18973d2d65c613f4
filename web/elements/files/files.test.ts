import { expect, test } from 'vitest';
import { breadcrumbs, joinPath, parentOf, refuseName } from './file-paths.ts';

test('paths join and part', () => {
  expect([joinPath('/', 'a'), joinPath('/a', 'b')]).toEqual(['/a', '/a/b']);
  expect([parentOf('/a/b'), parentOf('/a'), parentOf('/')]).toEqual(['/a', '/', '/']);
  expect(breadcrumbs('/home/user')).toEqual([
    { name: '/', path: '/' },
    { name: 'home', path: '/home' },
    { name: 'user', path: '/home/user' },
  ]);
});

test('names that Linux refuses are refused before they are sent', () => {
  expect(
    ['', '.', '..', 'a/b', 'a\0b', 'ü'.repeat(128), 'taken'].map((name) => refuseName(name, ['taken'])),
  ).toEqual([
    'Give it a name.',
    'Give it a name.',
    'Give it a name.',
    'A name has no slash in it.',
    'A name has no slash in it.',
    'A name has at most 255 bytes.',
    '“taken” is there already.',
  ]);
  expect(refuseName('ü'.repeat(127), [])).toBeUndefined();
});
