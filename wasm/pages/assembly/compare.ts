/** Bytes of a page of memory, as the guest's processor has them. */
export const pageBytes: usize = 4096;
const step: usize = 64;

/** Whether all of a page is zero. */
export function isZero(at: usize): bool {
  for (const end = at + pageBytes; at < end; at += step) {
    const a = v128.or(v128.load(at), v128.load(at, 16));
    const b = v128.or(v128.load(at, 32), v128.load(at, 48));
    if (v128.any_true(v128.or(a, b))) return false;
  }
  return true;
}

/** Whether two pages have the same bytes. */
export function isSame(a: usize, b: usize): bool {
  for (const end = a + pageBytes; a < end; a += step, b += step) {
    const c = v128.or(v128.xor(v128.load(a), v128.load(b)), v128.xor(v128.load(a, 16), v128.load(b, 16)));
    const d = v128.or(
      v128.xor(v128.load(a, 32), v128.load(b, 32)),
      v128.xor(v128.load(a, 48), v128.load(b, 48)),
    );
    if (v128.any_true(v128.or(c, d))) return false;
  }
  return true;
}
