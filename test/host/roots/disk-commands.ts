import fc from 'fast-check';

/** Something that is there, or a name in a directory that is; resolved when the step runs (operate.py). */
interface DiskPlace {
  readonly pick: number;
  readonly name?: string;
}

/** One thing done to the files of a root. */
export type DiskCommand = { readonly type: string; readonly path: DiskPlace } & Readonly<
  Record<string, unknown>
>;

// Few names, so that things are replaced by others often. One is not UTF-8, one looks like an option.
const name = fc.constantFrom('a', 'b', 'c', 'd', '-e', 'f\n', '\xff\xfe');
const there = fc.record({ pick: fc.nat(1000) });
const fresh = fc.record({ pick: fc.nat(1000), name });
const size = fc.constantFrom(0, 1, 100, 32_767, 32_768, 32_769, 100_000);
const offset = fc.constantFrom(0, 1, 4_096, 32_768, 70_000, 1_000_000);
const xattr = fc.constantFrom('user.x', 'user.y', 'user.z');

const commands: readonly [weight: number, command: fc.Arbitrary<DiskCommand>][] = [
  [4, step('create', fresh, { size })],
  [4, step('mkdir', fresh, {})],
  [4, step('write', there, { offset, length: size, fill: fc.nat(2) })],
  [2, step('truncate', there, { size })],
  [4, step('remove', there, {})],
  [2, step('rewriteUnseen', there, {})],
  [2, step('replace', there, { size })],
  [2, step('remake', there, {})],
  [4, step('rename', there, { to: fresh })],
  [3, step('link', there, { to: fresh })],
  [1, step('symlink', fresh, { target: fc.constantFrom('a', '/etc', '../..') })],
  [1, step('mknod', fresh, { mode: fc.constantFrom(0o010644, 0o020666, 0o060600) })],
  [1, step('chmod', there, { mode: fc.nat(0o7777) })],
  [1, step('chown', there, { uid: fc.constantFrom(0, 7, 100_000) })],
  [1, step('utime', there, { ns: fc.constantFrom(1, 1_700_000_000_123_456_000) })],
  [2, step('setxattr', there, { name: xattr, value: fc.constantFrom('', 'v', '\0=\n') })],
  [1, step('removexattr', there, { name: xattr })],
  [1, step('setcap', there, {})],
];

/** Up to `maxLength` steps. */
export function diskCommands(maxLength: number): fc.Arbitrary<DiskCommand[]> {
  const command = fc.oneof(...commands.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return fc.array(command, { maxLength, size: 'max' });
}

function step(
  type: string,
  path: fc.Arbitrary<DiskPlace>,
  more: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<DiskCommand> {
  return fc.record({ type: fc.constant(type), path, ...more });
}
