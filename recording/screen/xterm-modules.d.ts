// The packages name only a CommonJS file for Node, whose exports Node cannot tell; these are the same as modules.
declare module '@xterm/headless/lib-headless/xterm-headless.mjs' {
  export { Terminal } from '@xterm/headless';
}
declare module '@xterm/addon-serialize/lib/addon-serialize.mjs' {
  export { SerializeAddon } from '@xterm/addon-serialize';
}
