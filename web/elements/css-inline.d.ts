/** A stylesheet as text, which Vite provides for the query `?inline`. */
declare module '*.css?inline' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the shape of Vite's module
  export default text;
}
