import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestBytes } from '../host/cache/digest.ts';
import { inRepository } from '../host/repository.ts';

/** The demos, and beside them their recordings (`NAME.cast.gz`) and pictures (`NAME.svg`). */
export const demosFolder: string = inRepository('examples', 'demos');

/** What `npm run demos` says of all that it has recorded. */
export const recordedDemosFile: string = join(demosFolder, 'recorded.json');

/** A recording of a demo, and what it was made of. */
export interface RecordedDemo {
  readonly title: string;
  readonly sentence: string;
  readonly seconds: number;
  readonly sizeBytes: number;
  /** SHA-256 of its module. */
  readonly module: string;
  /** Of a machine. `digest`: as the recording has it. `lock`: SHA-256 of the image's lock, by which one sees without building it that it is another now. */
  readonly image?: { readonly name: string; readonly digest: string; readonly lock: string };
}

/** By their names, in the order of the page. */
export type RecordedDemos = Readonly<Record<string, RecordedDemo>>;

/** Those that were recorded. */
export async function readRecordedDemos(): Promise<RecordedDemos> {
  const text = await readFile(recordedDemosFile, 'utf8').catch(() => '{}');
  return JSON.parse(text);
}

/** What a recording of a demo would be made of now. */
export async function demoOrigin(
  name: string,
  image: string | undefined,
): Promise<{ readonly module: string; readonly lock: string | undefined }> {
  const digestOf = async (path: string) => digestBytes(await readFile(path));
  return {
    module: await digestOf(join(demosFolder, `${name}.ts`)),
    lock: image && (await digestOf(inRepository('images', 'profiles', image, 'lock.json'))),
  };
}
