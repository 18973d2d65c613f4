import type { EmulatorInternals } from './emulator-internals.ts';

/** What v86's `set_jit_config` sets (src/rust/jit.rs, version 0.5.462): the index that it takes. */
const setting = { maxPages: 1, maxExtraBasicBlocks: 3 } as const;

/**
 * How large the WebAssembly functions are that v86 makes of the guest's code: pages of guest code in
 * one, and basic blocks that are compiled along though they were not run yet. v86's own values are 3
 * and 250, by which it makes functions of 100 to 270 kB; V8's optimising compiler takes up to a second
 * for each, on the core that the guest needs, and most are thrown away soon after. Milliseconds on two
 * cores, Chromium 156 at its default settings, two runs each:
 *
 * | pages, blocks | first python | second | git, 200 files | a loop of python, first | second |
 * | --- | --- | --- | --- | --- | --- |
 * | 3, 250 | 4,629 4,241 | 2,628 1,781 | 8,973 8,574 | 6,719 6,154 | 4,103 3,519 |
 * | 1, 3 | 3,442 3,017 | 2,063 1,939 | 6,342 4,935 | 3,899 3,387 | 2,615 2,367 |
 * | 1, 20 | 3,003 3,108 | 1,584 1,605 | 6,150 6,777 | 4,236 3,836 | 2,714 2,225 |
 * | 2, 10 | 3,083 3,281 | 1,530 1,531 | 5,602 5,989 | 4,058 3,949 | 3,394 2,502 |
 *
 * Firefox, whose compiler is another, is as quick with (1, 10) as without.
 */
const sizes = { maxPages: 1, maxExtraBasicBlocks: 20 } as const;

/** Has v86 make functions of those sizes. No saved state knows of them. */
export function limitCompiledCode({ v86: { cpu } }: EmulatorInternals): void {
  cpu.set_jit_config(setting.maxPages, sizes.maxPages);
  cpu.set_jit_config(setting.maxExtraBasicBlocks, sizes.maxExtraBasicBlocks);
}
