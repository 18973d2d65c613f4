import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './run-step.ts';

const modules = ['web/embed/element/sandbox-element.ts', 'web/embed/element/replay-element.ts'];

/** A line of the comment of an element: `@attr {type} name - description`. */
interface Tag {
  readonly tag: string;
  readonly type: string | undefined;
  readonly name: string;
  readonly description: string;
}

interface Described {
  readonly module: string;
  readonly className: string;
  readonly description: string;
  readonly tags: readonly Tag[];
}

/** `custom-elements.json` of the elements of `coppice/embed`, for editors (schema 2.1.0 of custom-elements-manifest). */
export async function elementManifest(): Promise<string> {
  const elements = await Promise.all(modules.map(describeModule));
  const manifest = {
    schemaVersion: '2.1.0',
    modules: elements.map(({ module, className, description, tags }) => ({
      kind: 'javascript-module',
      path: module,
      declarations: [
        {
          kind: 'class',
          customElement: true,
          name: className,
          tagName: tags.find(({ tag }) => tag === 'element')?.name,
          description,
          attributes: named(tags, 'attr').map(({ type, ...rest }) => ({ ...rest, type: { text: type } })),
          slots: named(tags, 'slot').map(({ description }) => ({ name: '', description })),
          cssParts: named(tags, 'csspart').map(({ name, description }) => ({ name, description })),
          cssProperties: named(tags, 'cssprop').map(({ name, description }) => ({ name, description })),
          events: named(tags, 'fires').map(({ name, description }) => ({
            name,
            description,
            type: { text: 'CustomEvent' },
          })),
        },
      ],
      exports: [{ kind: 'js', name: className, declaration: { name: className, module } }],
    })),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The page `docs/reference/embed.md`. */
export async function elementReference(): Promise<string> {
  const elements = await Promise.all(modules.map(describeModule));
  const intro = `# Elements for your pages

Written by \`npm run reference\` from the elements themselves. [Embed in your docs](../guides/embed-in-your-docs.md) says how to load and allow them.
Events are \`CustomEvent\`s that bubble and leave shadow trees.
`;
  return [intro, ...elements.map(section)].join('\n');
}

function section({ tags, description }: Described): string {
  const tag = tags.find(({ tag }) => tag === 'element')?.name ?? '';
  const table = (title: string, name: string): string => {
    const rows = named(tags, name).map(({ name, type, description }) => {
      const value = type === undefined ? '' : ` (${type.replaceAll('|', ' or ').replaceAll('"', '')})`;
      return `| \`${name}\`${value} | ${description} |`;
    });
    return rows.length === 0 ? '' : `\n| ${title} | |\n| --- | --- |\n${rows.join('\n')}\n`;
  };
  const tables = [
    table('attribute', 'attr'),
    table('event', 'fires'),
    table('part', 'csspart'),
    table('custom property', 'cssprop'),
  ];
  return `## \`<${tag}>\`\n\n${description.replaceAll('. ', '.\n')}\n${tables.join('')}`;
}

function named(tags: readonly Tag[], name: string): Tag[] {
  return tags.filter(({ tag }) => tag === name);
}

async function describeModule(module: string): Promise<Described> {
  const text = await readFile(join(root, module), 'utf8');
  const found =
    /\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\nexport class (?<className>\w+) extends HTMLElement/.exec(
      text,
    )?.groups;
  if (!found) throw new Error(`${module} has no element with a comment`);
  const lines = (found.comment ?? '').split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  const tags = lines.flatMap((line) => {
    const groups =
      /^@(?<tag>\w+) (?:\{(?<type>[^}]*)\} )?(?:(?<name>[\w-]+)(?: - |$))?-? ?(?<description>.*)$/.exec(
        line,
      )?.groups;
    if (!groups) return [];
    const { tag = '', type, name = '', description = '' } = groups;
    return [{ tag, type, name, description }];
  });
  const description = lines.filter((line) => line !== '' && !line.startsWith('@')).join(' ');
  return { module, className: found.className ?? '', description, tags };
}
