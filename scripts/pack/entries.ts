import { basename } from 'node:path';

/** What the package exports, each a module of this repository. */
export interface PackageExport {
  /** As in `exports` of package.json. */
  readonly name: string;
  readonly module: string;
}

/** What starts the command. */
export const commandModule = 'cli/main.ts';

/** In Node: `.` makes sandboxes without a bridge. */
export const nodeExports: readonly PackageExport[] = [
  { name: '.', module: 'cli/index.ts' },
  { name: './bridge', module: 'bridge-server/index.ts' },
  { name: './ai-sdk-harness', module: 'cli/adapters/ai-sdk-harness.ts' },
  { name: './ai-sdk-session', module: 'sdk/adapters/ai-sdk-session.ts' },
  { name: './ai-sdk-tools', module: 'sdk/adapters/ai-sdk-tools.ts' },
  { name: './anthropic-tools', module: 'sdk/adapters/anthropic-tools.ts' },
  { name: './bash-tool', module: 'sdk/adapters/bash-tool.ts' },
  { name: './openai-agents', module: 'cli/adapters/openai-agents.ts' },
  { name: './openai-functions', module: 'sdk/adapters/openai-functions.ts' },
  { name: './embed/markdown-it', module: 'web/embed/markdown/markdown-it.ts' },
  { name: './embed/remark', module: 'web/embed/markdown/remark.ts' },
];

/** They run as a process or a thread of their own: whoever starts one finds it beside itself, by the name of its file. */
export const startedModules: readonly string[] = [
  'bridge-server/runtimes/shell/serve-shell.ts',
  'images/build-image-process.ts',
  'shell/node/program-worker.ts',
];

/** In a browser: the client alone. */
export const browserModule = 'sdk/index.ts';

/** For pages only. */
export const embedModule = 'web/embed/index.ts';

/** What editors know the elements of pages by. */
export const elementManifestFile = 'web/embed/custom-elements.json';

/** `sdk/index.ts` as `sdk-index`: the names of files in the folder `lib` of the package. */
export function bundledName(module: string): string {
  if (startedModules.includes(module)) return basename(module, '.ts');
  return module.replace(/\.ts$/, '').replaceAll('/', '-');
}
