import { Option } from 'commander';
import type { RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';
import { nodeRuntimes } from '../in-process/node-runtimes.ts';

/** A runtime by its name, or the best that this host has. */
export type RuntimeChoice = 'auto' | RuntimeName;

/** `--runtime`, with a sentence about what it chooses. */
export function runtimeOption(description: string): Option {
  return new Option('--runtime <name>', description).choices(['auto', ...nodeRuntimes]);
}
