import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demos } from '../../examples/demos/index.ts';
import type { TimedEvent } from '../../recording/format/recording-event.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { demoOrigin, demosFolder, readRecordedDemos } from '../../scripts/recorded-demos.ts';
import { codeBlocks, readDocument } from './documents.ts';

test.each(Object.entries(demos))(
  'P-9 the recording of %s is of its module as it is, and of its image',
  async (name, demo) => {
    const recorded = (await readRecordedDemos())[name];
    if (recorded === undefined) throw new Error(`It was never recorded: npm run demos -- ${name}`);
    const { title, sentence, image } = demo;
    const { module, lock } = await demoOrigin(name, image);
    const again = `It is stale: npm run demos -- ${name}`;
    expect(recorded, again).toMatchObject({ title, sentence, module });
    expect(recorded.image?.lock, again).toBe(lock);

    const stream = await readRecording(fileOf(name));
    const events: TimedEvent[] = [];
    for await (const event of stream.events()) events.push(event);
    expect(stream.damage).toBeUndefined();
    expect(stream.header.title).toBe(title);
    expect(stream.header.coppice.image).toEqual(
      image === undefined
        ? undefined
        : expect.objectContaining({ name: image, digest: recorded.image?.digest }),
    );
    expect(Math.round(events.at(-1)?.at ?? 0)).toBe(recorded.seconds);
    expect(events.filter(({ event }) => event.type === 'chapter').length).toBeGreaterThan(2);
    expect(recorded.sizeBytes).toBeLessThan(1_000_000);
  },
);

test('P-9 the recording of the tutorial has the commands that the tutorial names, in their order', async () => {
  const document = readDocument('docs/tutorial.md');
  const [, make = '', breakIt = ''] = document.text.split(/^## (?:Make a past|Break it)$/m);
  const blocks = [make, breakIt].flatMap((text) => codeBlocks({ ...document, text })[0]?.code ?? []);
  const told = blocks.flatMap((code) => code.trim().split('\n'));
  const stream = await readRecording(fileOf('tutorial'));
  const typed: string[] = [];
  for await (const { event } of stream.events()) if (event.type === 'command') typed.push(event.text);
  expect(told.length).toBeGreaterThan(5);
  expect(typed.slice(0, told.length)).toEqual(told);
});

async function* fileOf(name: string): AsyncGenerator<Uint8Array> {
  yield await readFile(join(demosFolder, `${name}.cast.gz`));
}
