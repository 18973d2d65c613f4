/** Decides by path whether a package's file goes into the image. */
export type KeepRule = (path: string) => boolean;

/**
 * Drops what starts with one of `drop`, unless it matches one of `keep`. In both, `*` stands for
 * any part of one name. A directory under a dropped prefix is dropped, the prefix itself
 * (`/usr/share/man` for `/usr/share/man/`) is not.
 */
export function createKeepRule(rules: { drop: readonly string[]; keep: readonly string[] }): KeepRule {
  const dropped = rules.drop.map((glob) => pattern(glob, ''));
  const kept = rules.keep.map((glob) => pattern(glob, '$'));
  return (path) => !dropped.some((one) => one.test(path)) || kept.some((one) => one.test(path));
}

function pattern(glob: string, end: string): RegExp {
  const escaped = glob.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^/]*')}${end}`);
}
