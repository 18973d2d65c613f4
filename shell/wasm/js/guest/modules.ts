import type { GuestLibrary } from './guest-host.ts';

/** `require`, `module` and `exports` of the main script. Runs within QuickJS. */
export function installModules(library: GuestLibrary, mainFile: string): void {
  const { call, modules } = library;
  const loaded = new Map<string, { exports: unknown }>();

  function isFile(path: string): boolean {
    const answer = call('stat', [path]);
    return 'value' in answer && (((answer.value as { mode: number }).mode ?? 0) & 0o170000) === 0o100000;
  }

  function readText(path: string): string {
    const fs = modules.fs as { readFileSync(path: string, encoding: string): string };
    return fs.readFileSync(path, 'utf8');
  }

  function find(name: string, from: string): string {
    const path = modules.path as { resolve(...names: string[]): string };
    const candidates: string[] = [];
    const add = (base: string) =>
      candidates.push(base, `${base}.js`, `${base}.cjs`, `${base}.json`, `${base}/index.js`);
    if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(name)) add(path.resolve(from, name));
    else {
      for (let folder = from; ; folder = path.resolve(folder, '..')) {
        const base = path.resolve(folder, 'node_modules', name);
        const settings = `${base}/package.json`;
        if (isFile(settings))
          add(path.resolve(base, String(JSON.parse(readText(settings)).main ?? 'index.js')));
        add(base);
        if (folder === '/') break;
      }
    }
    const found = candidates.find(isFile);
    if (found !== undefined) return found;
    const hint = /^[./]/.test(name)
      ? ''
      : ': this js has no modules of Node but fs, path, os, util, buffer and process';
    throw Object.assign(new Error(`Cannot find module '${name}'${hint}`), { code: 'MODULE_NOT_FOUND' });
  }

  function requireFrom(folder: string): (name: string) => unknown {
    return (name) => {
      const known = modules[name.replace(/^node:/, '')];
      if (known !== undefined) return known;
      const file = find(name, folder);
      const before = loaded.get(file);
      if (before !== undefined) return before.exports;
      const module: { exports: unknown } = { exports: {} };
      loaded.set(file, module);
      if (file.endsWith('.json')) module.exports = JSON.parse(readText(file));
      else {
        const parent = file.slice(0, file.lastIndexOf('/')) || '/';
        const source = `(function (exports, require, module, __filename, __dirname) {${readText(file).replace(/^#!.*/, '')}\n})`;
        library
          .evaluate(source, file)
          .call(module.exports, module.exports, requireFrom(parent), module, file, parent);
      }
      return module.exports;
    };
  }

  const folder = mainFile.slice(0, mainFile.lastIndexOf('/')) || '/';
  const module = { exports: {} };
  const require = requireFrom(folder);
  Object.assign(require, { main: module });
  Object.assign(globalThis, {
    require,
    module,
    exports: module.exports,
    __filename: mainFile,
    __dirname: folder,
  });
}
