import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRootMaker } from '../../../bridge-server/roots/open-root-maker.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';

/** With a folder on btrfs, a launcher, a scanner and an unpacker as arguments: leaves a root, a held and a kept upper directory, and is killed. */
const [folder = '', launcher = '', scanner = '', unpacker = ''] = process.argv.slice(2);
const tree = new LiveTree();
const { id, objects } = sealTree(tree.snapshot());
const bytes = new Map(objects.map((object) => [object.id, object.bytes]));
const read = (object: ObjectId) => bytes.get(object) ?? new Uint8Array();
const programs = { launcher, scanner, unpacker };
const maker = await openRootMaker({ folder: join(folder, 'maker'), prefer: 'btrfs', ...programs });
const root = await maker.make(id, { base: id, read });
for (let n = 0; n < 2; n++) {
  // Of what has not changed nothing is held.
  if (n === 1 && root.mount.type === 'overlay') writeFileSync(join(root.mount.upper, 'file'), 'some');
  await root.collect(tree, { isPublished: true });
  if (n === 0) root.published(id);
}
process.kill(process.pid, 'SIGKILL');
