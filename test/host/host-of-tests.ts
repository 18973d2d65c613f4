import { afterAll, beforeAll } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';

/** Registers hooks: a host with overlay roots for the tests of a describe, which share it. */
export function hostOfTests() {
  let files: TestFolder;
  let host: Host;
  beforeAll(async () => {
    files = await makeTestFolder('overlay');
    host = await openHost(files.options);
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });
  return {
    get host(): Host {
      return host;
    },
    get folder(): string {
      return files.options.folder;
    },
  };
}
