import type { Jail, Root } from '../contract.ts';

/** A root and the jail that runs on it. */
export interface RootAndJail {
  readonly root: Root;
  readonly jail: Jail;
}

/** Ends what runs; the root stays with its caller. */
export async function endJail({ jail }: RootAndJail): Promise<void> {
  await jail[Symbol.asyncDispose]();
}

/** Ends what runs, and leaves the root to the next start. */
export async function endOnly({ jail, root }: RootAndJail): Promise<void> {
  try {
    await jail[Symbol.asyncDispose]();
  } finally {
    await root.leave();
  }
}

/** Ends what runs, and deletes its root. */
export async function end({ jail, root }: RootAndJail): Promise<void> {
  try {
    await jail[Symbol.asyncDispose]();
  } finally {
    await root[Symbol.asyncDispose]();
  }
}

/** Ends what cannot go on without us. */
export async function leave(
  machine: RootAndJail,
  { keepsRoot }: { readonly keepsRoot: boolean },
): Promise<void> {
  const { jail, root } = machine;
  if (!jail.outlives) return keepsRoot ? endOnly(machine) : end(machine);
  jail.leave();
  await root.leave();
}
