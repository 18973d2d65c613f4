import type { Plugin } from 'vite';

interface Patch {
  /** What it is for, where v86 no longer has the text. */
  readonly name: string;
  /** Text of `libv86.mjs` 0.5.462, which is there once, and what takes its place. */
  readonly edits: readonly (readonly [find: string, replace: string])[];
}

const patches: readonly Patch[] = [
  {
    // v86 yields to its event loop through one more worker, unless the page's address asks for
    // `scheduler.postTask`, which has no such detour where it exists. The address of a worker cannot
    // ask: what a service worker answers with has lost its fragment.
    name: 'yield directly',
    edits: [['location.href.includes("use-scheduling-api")', 'true']],
  },
  {
    // 65,536 equal objects, one for each port, are most of what making a machine allocates. A port
    // gets one of its own when a device registers it or may move it; all others share one.
    name: 'share what unused ports answer',
    edits: [
      [
        'for(var b=0;65536>b;b++)this.ports[b]=this.create_empty_entry();',
        'var b;this.ports=Array(65536).fill(this.unused=this.create_empty_entry());' +
          'this.own=p=>this.ports[p]===this.unused?this.ports[p]=this.create_empty_entry():this.ports[p];',
      ],
      [
        'Ea.prototype.register_read=function(a,b,c,d,e){',
        'Ea.prototype.register_read=function(a,b,c,d,e){this.own(a);',
      ],
      [
        'Ea.prototype.register_write=function(a,b,c,d,e){',
        'Ea.prototype.register_write=function(a,b,c,d,e){this.own(a);',
      ],
      ['e.entries[g]=this.io.ports[f+g]', 'e.entries[g]=this.io.own(f+g)'],
    ],
  },
  {
    // A state's RAM is read where it lies: the copy would be thrown away once it is in the guest's.
    name: 'restore without a copy of RAM',
    edits: [
      [
        'return b.buffer.slice(x,x+r.length)',
        'return 1048576<r.length?new Uint8Array(b.buffer,x,r.length):b.buffer.slice(x,x+r.length)',
      ],
      [
        'new c(b[a.buffer_id])',
        '(e=>e instanceof c?e:new c(e instanceof Uint8Array?e.slice().buffer:e))(b[a.buffer_id])',
      ],
    ],
  },
];

/** Changes v86 as the page's worker gets it: what it can and does stays the same, it only starts sooner. */
export function patchV86(): Plugin {
  return {
    name: 'patch-v86',
    apply: 'build',
    transform(code, id) {
      if (!id.includes('/v86/build/libv86')) return undefined;
      return { code: patches.reduce(applyPatch, code), map: null };
    },
  };
}

/** @throws Error when this version of v86 does not have each text once */
export function applyPatch(code: string, { name, edits }: Patch): string {
  return edits.reduce((text, [find, replace]) => {
    const [before, after, ...others] = text.split(find);
    if (before === undefined || after === undefined || others.length > 0) {
      throw new Error(`Cannot patch this version of v86 (${name}): it has not once "${find}"`);
    }
    return before + replace + after;
  }, code);
}
