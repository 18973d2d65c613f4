/** What Vite puts into `import.meta.env`. */
interface ImportMetaEnv {
  readonly MODE: string;
  readonly PROD: boolean;
}

interface ImportMeta {
  readonly env: ImportMetaEnv;
}

/** The stand-in backend of the tests; there only in development and test builds. */
declare module 'coppice:stand-in' {
  export function createStandIn(options: URLSearchParams): import('../../protocol/sandbox.ts').SandboxBackend;
}
