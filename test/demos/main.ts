// `npm run demos`: plays the demos of examples/demos and records them, all or those that are named.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demos } from '../../examples/demos/index.ts';
import {
  demoOrigin,
  demosFolder,
  type RecordedDemos,
  readRecordedDemos,
  recordedDemosFile,
} from '../../scripts/recorded-demos.ts';
import { recordDemo } from './record-demo.ts';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(demos, name));
if (unknown.length > 0) {
  console.error(`There is no demo ${unknown.join(', ')}; there are ${Object.keys(demos).join(', ')}`);
  process.exit(2);
}
for (const [name, demo] of Object.entries(demos)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${demo.title}`);
  const told = (command: string) => console.log(`  ${command.replaceAll('\n', '\n  > ')}`);
  const { file, picture, seconds, imageDigest = '' } = await recordDemo(demo, told);
  await writeFile(join(demosFolder, `${name}.cast.gz`), file);
  await writeFile(join(demosFolder, `${name}.svg`), picture);
  const { title, sentence, image } = demo;
  const { module, lock = '' } = await demoOrigin(name, image);
  const recorded: RecordedDemos = {
    ...(await readRecordedDemos()),
    [name]: {
      ...{ title, sentence, seconds, sizeBytes: file.length, module },
      ...(image === undefined ? {} : { image: { name: image, digest: imageDigest, lock } }),
    },
  };
  const inOrder = Object.keys(demos).flatMap((each) => (recorded[each] ? [[each, recorded[each]]] : []));
  await writeFile(recordedDemosFile, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
  console.log(`  ${seconds} s, ${file.length} bytes`);
}
process.exit();
