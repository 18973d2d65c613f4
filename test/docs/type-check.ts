import { join } from 'node:path';
import ts from 'typescript';
import { type CodeBlock, root } from './documents.ts';

/** What a short example may use without making it, and what the SDK has in Node only. */
const given = `
import type { Sandbox as GivenSandbox } from 'coppice';
import type { ShellCustomization } from '${join(root, 'runtimes/shell/commands/shell-customization.ts')}';
import type { SandboxBackend } from '${join(root, 'protocol/sandbox/backend.ts')}';
declare module 'coppice' {
  export function shellBackend(options?: ShellCustomization): SandboxBackend;
}
declare global {
  const sandbox: GivenSandbox;
}
`;

/** What examples use of `coppice/bridge`, whose sources need Node's types. */
const bridge = `
import type { SandboxBackend } from '${join(root, 'protocol/sandbox/backend.ts')}';
export function openLocalHost(options: {
  readonly folder: string;
}): Promise<AsyncDisposable & { readonly backend: SandboxBackend }>;
`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  paths: {
    coppice: [join(root, 'sdk/index.ts')],
    'coppice/bridge': [virtualPath('bridge.d.ts')],
    'coppice/embed': [join(root, 'web/embed/index.ts')],
    'coppice/*': [join(root, 'sdk/adapters/*.ts')],
  },
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Compiles every block, `ts` or `js`, as a module of its own, with `coppice` being the real SDK and `sandbox` an
 * open one. Answers what the compiler says, as `file:line: message`.
 */
export function typeCheck(blocks: readonly CodeBlock[]): string[] {
  const sources = new Map(
    blocks.map((block, index) => [virtualPath(`block-${index}.${block.language}`), block]),
  );
  const texts = new Map([...sources].map(([path, { code }]) => [path, `${code}\nexport {};\n`]));
  texts.set(virtualPath('given.d.ts'), given);
  texts.set(virtualPath('bridge.d.ts'), bridge);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, target, ...rest)
      : ts.createSourceFile(path, text, target);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => explain(diagnostic, sources));
}

/** Members of each interface and class that the SDK exports, with those of our types that they extend. */
export function sdkMembers(): Map<string, string[]> {
  const program = ts.createProgram([join(root, 'sdk/index.ts'), join(root, 'portable.d.ts')], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(join(root, 'sdk/index.ts'));
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error('The SDK has no exports');
  const members = new Map<string, string[]>();
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (!(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) continue;
    const statics = [...(symbol.exports?.values() ?? [])];
    const all = [...checker.getDeclaredTypeOfSymbol(symbol).getProperties(), ...statics];
    members.set(
      exported.name,
      all
        .filter(isOurs)
        .map(({ name }) => name)
        .filter(isPublicName),
    );
  }
  return members;
}

/** Leaves out what comes from the language, such as the stack of an error. */
function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((declaration) => !declaration.getSourceFile().fileName.includes('/node_modules/'));
}

/** Leaves out `#private` names, well-known symbols and a class's `prototype`. */
function isPublicName(name: string): boolean {
  return !name.startsWith('#') && !name.startsWith('__') && name !== 'prototype';
}

function virtualPath(name: string): string {
  return join(root, 'test/docs', name);
}

function explain(diagnostic: ts.Diagnostic, sources: ReadonlyMap<string, CodeBlock>): string {
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
  const { file, start = 0 } = diagnostic;
  if (!file) return message;
  const line = file.getLineAndCharacterOfPosition(start).line;
  const block = sources.get(file.fileName);
  return block
    ? `${block.path}:${block.line + line}: ${message}`
    : `${file.fileName}:${line + 1}: ${message}`;
}
