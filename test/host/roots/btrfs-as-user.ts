import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRootMaker } from '../../../bridge-server/roots/open-root-maker.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';

/**
 * Run as an ordinary user, with a folder, a launcher, a scanner and an unpacker as arguments: makes roots in the best way that
 * works there, one of what another was held with, and prints what came of it.
 */
const [folder = '', launcher = '', scanner = '', unpacker = ''] = process.argv.slice(2);
let why = '';
const onChoice = (_kind: string, reason: string) => {
  why = reason;
};
const objects = new Map<ObjectId, Uint8Array>();
const read = (id: ObjectId) => objects.get(id) ?? new Uint8Array();
const tree = new LiveTree();
const seal = () => {
  const sealed = sealTree(tree.snapshot());
  for (const object of sealed.objects) objects.set(object.id, object.bytes);
  return sealed.id;
};
const base = seal();
const programs = { launcher, scanner, unpacker };
await using maker = await openRootMaker({ folder: join(folder, 'maker'), ...programs, onChoice });
await using root = await maker.make(base, { base, read });
const { mount } = root;
const upper = mount.type === 'overlay' ? mount.upper : mount.path;
mkdirSync(join(upper, 'made'));
writeFileSync(join(upper, 'made', 'file'), 'text');
const count = await root.collect(tree, { isPublished: true });
const id = seal();
root.published(id);
await using second = await maker.make(id, { base, read });
console.log(JSON.stringify({ kind: maker.name, why, count, again: await second.collect(tree) }));
