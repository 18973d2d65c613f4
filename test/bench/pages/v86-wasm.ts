/** Where the bundler puts v86.wasm. */
export const v86Wasm: URL = new URL('../../../node_modules/v86/build/v86.wasm', import.meta.url);
