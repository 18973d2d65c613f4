// Vite resolves these imports.
declare module '*.wasm?url' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the shape is Vite's
  export default url;
}

interface ImportMeta {
  readonly env: { readonly DEV: boolean };
}
