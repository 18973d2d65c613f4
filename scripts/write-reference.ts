// `npm run reference`: the pages of the command line in docs/reference/cli, that of the tools and that of embeds, and what runtimes
// can in that of support, from the program itself.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processContext } from '../cli/context.ts';
import { buildProgram } from '../cli/program.ts';
import { referencePages } from '../cli/reference/reference-pages.ts';
import { mcpReference } from '../mcp/tool-reference.ts';
import { elementManifest, elementReference } from './element-manifest.ts';
import { root } from './run-step.ts';
import { withRuntimeTable } from './runtime-table.ts';

const folder = join(root, 'docs/reference/cli');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const program = buildProgram({ ...processContext(), environment: {} });
for (const [name, text] of referencePages(program)) await writeFile(join(folder, name), text);
await writeFile(join(root, 'docs/reference/mcp.md'), mcpReference());
await writeFile(join(root, 'docs/reference/embed.md'), await elementReference());
await writeFile(join(root, 'web/embed/custom-elements.json'), await elementManifest());
const support = join(root, 'docs/reference/support.md');
await writeFile(support, withRuntimeTable(await readFile(support, 'utf8')));
