type Library = typeof import('isomorphic-git');

let loading: Promise<Library> | undefined;

/** isomorphic-git, loaded for the first who needs it. It takes Node's `Buffer` from the global scope, which pages lack. */
export function loadLibrary(): Promise<Library> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Library> {
  const scope = globalThis as { Buffer?: unknown };
  // The slash names the package: without it, Node's own module would be meant.
  scope.Buffer ??= (await import('buffer/')).Buffer;
  return import('isomorphic-git');
}
