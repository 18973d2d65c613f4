/** The part of the WebAssembly API that is used here; Node's types leave it to the DOM's. */
declare namespace WebAssembly {
  interface Module {
    readonly brand: 'WebAssembly.Module';
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: object): Promise<{ readonly exports: object }>;
}
