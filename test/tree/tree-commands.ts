import fc from 'fast-check';

/** One step of a random history. `pick` chooses among the snapshots that were taken. */
export type TreeCommand =
  | { type: 'create'; path: Place; mode: number }
  | { type: 'symlink'; path: Place; target: string }
  | { type: 'write'; path: Place; offset: number; length: number; fill: number }
  | { type: 'truncate'; path: Place; size: number }
  | { type: 'link' | 'rename'; path: Place; to: Place }
  | { type: 'unlink' | 'rmdir'; path: Place }
  | { type: 'attributes'; path: Place; permissions: number; uid: number; mtime: number }
  | { type: 'setXattr'; path: Place; name: string; value: string }
  | { type: 'removeXattr'; path: Place; name: string }
  | { type: 'snapshot' }
  | { type: 'restore' | 'fork'; pick: number }
  /** `reopens`: what follows happens to the tree as it is loaded again. */
  | { type: 'seal'; reopens: boolean };

/** A step that concerns one file. */
export type FileCommand = Extract<TreeCommand, { path: Place }>;

/** Something that is there, or a name in a directory that is; resolved when the step runs. */
export type Place = { pick: number; name?: string };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'a-');
const existing: fc.Arbitrary<Place> = fc.record({ pick: fc.nat(1000) });
const fresh: fc.Arbitrary<Place> = fc.record({ pick: fc.nat(1000), name });
const path = fc.oneof({ weight: 5, arbitrary: existing }, { weight: 1, arbitrary: fresh });
// Around the borders of pages and extents is where mistakes are.
const position = fc.oneof(
  fc.nat(200),
  fc.constantFrom(4_095, 4_096, 4_097, 32_767, 32_768, 32_769, 65_536, 70_000),
);
const xattr = fc.constantFrom('user.x', 'user.y', 'security.capability');

/** A random history of up to `maxLength` steps. */
export function treeCommands(maxLength: number): fc.Arbitrary<TreeCommand[]> {
  const command: fc.Arbitrary<TreeCommand> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('create' as const),
        path: fresh,
        mode: fc.constantFrom(0o040755, 0o100644, 0o010600, 0o140777),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('create' as const),
        path: fresh,
        mode: fc.constant(0o040700),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('symlink' as const),
        path: fresh,
        target: fc.constantFrom('a', '/a/b', '..'),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('write' as const),
        path,
        offset: position,
        length: position,
        fill: fc.nat(3),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('truncate' as const), path, size: position }) },
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constantFrom('link' as const, 'rename' as const), path, to: fresh }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('unlink' as const, 'rmdir' as const), path }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('attributes' as const),
        path,
        permissions: fc.nat(0o7777),
        uid: fc.nat(3),
        mtime: fc.integer({ min: -10, max: 10 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('setXattr' as const),
        path,
        name: xattr,
        value: fc.constantFrom('', 'v', 'longer value'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('removeXattr' as const), path, name: xattr }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('snapshot' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constantFrom('restore' as const, 'fork' as const), pick: fc.nat(20) }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('seal' as const), reopens: fc.boolean() }) },
  );
  return fc.array(command, { maxLength, size: 'max' });
}
