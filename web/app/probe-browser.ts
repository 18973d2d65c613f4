/** Something the page cannot do without, and the first browsers that have it or why it may be absent. */
export interface MissingFeature {
  readonly feature: string;
  readonly since: string;
}

/** The smallest module with a v128 constant: valid only where WebAssembly has SIMD. */
const simdModule = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  10,
  1,
  8,
  0,
  65,
  0,
  253,
  15,
  253,
  98,
  11,
);

/**
 * What this browser lacks of what the machine needs, empty when nothing. Asks only for things that
 * a window can see; what only a worker sees (synchronous file handles) has a fallback there.
 */
export function probeBrowser(scope: typeof globalThis = globalThis): MissingFeature[] {
  const needs: readonly (readonly [feature: string, since: string, present: boolean])[] = [
    ['a secure context (https, or localhost)', 'any current browser', scope.isSecureContext === true],
    ['WebAssembly with SIMD', 'Chrome 91, Firefox 89, Safari 16.4', hasSimd(scope)],
    ['a tab of its own', 'a page of another site could lay buttons over it', isByItself(scope)],
    ['workers', 'any current browser', 'Worker' in scope],
    ['storage', 'blocked by a setting, or in a frame of another site', mayStore(scope)],
    ['IndexedDB', 'any current browser', 'indexedDB' in scope],
    ['Web Locks', 'Chrome 69, Firefox 96, Safari 15.4', 'locks' in scope.navigator],
    ['Web Crypto', 'any current browser', 'crypto' in scope && 'subtle' in scope.crypto],
    ['DecompressionStream', 'Chrome 80, Firefox 113, Safari 16.4', 'DecompressionStream' in scope],
    ['Promise.withResolvers', 'Chrome 119, Firefox 121, Safari 17.4', 'withResolvers' in scope.Promise],
    ['disposable objects', 'Chrome 134, Firefox 141', 'asyncDispose' in scope.Symbol],
    ['popovers', 'Chrome 114, Firefox 125, Safari 17', 'popover' in scope.HTMLElement.prototype],
    ['light-dark() colours', 'Chrome 123, Firefox 120, Safari 17.5', hasLightDark(scope)],
  ];
  return needs.flatMap(([feature, since, present]) => (present ? [] : [{ feature, since }]));
}

/** Servers that send no headers let every site have the page in a frame. */
function isByItself(scope: typeof globalThis): boolean {
  for (let frame: Window = scope.window; frame !== frame.parent; frame = frame.parent) {
    try {
      if (frame.parent.location.origin !== scope.location.origin) return false;
    } catch {
      return false;
    }
  }
  return true;
}

/** Where storage is blocked, so are IndexedDB and the private file system; only this one says so at once. */
function mayStore(scope: typeof globalThis): boolean {
  try {
    return 'localStorage' in scope && scope.localStorage !== null;
  } catch {
    return false;
  }
}

function hasSimd(scope: typeof globalThis): boolean {
  return 'WebAssembly' in scope && scope.WebAssembly.validate(simdModule);
}

function hasLightDark(scope: typeof globalThis): boolean {
  return scope.CSS.supports('color', 'light-dark(red, blue)');
}
