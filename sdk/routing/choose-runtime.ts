/** What a task cannot do without, as far as it is known. */
export interface RuntimeNeeds {
  readonly memoryMiB?: number;
  /** Programs for 64-bit processors. */
  readonly is64Bit?: boolean;
  /** Libraries for such programs, which all but static ones are linked with. */
  readonly uses64BitLibraries?: boolean;
  readonly network?: boolean;
  readonly terminal?: boolean;
  readonly diskMiB?: number;
  /** A program that has to be in the image. */
  readonly program?: string;
  /** Time that it takes on a machine which runs programs natively. */
  readonly nativeMs?: number;
}

/** What a place to run in has. */
export interface RuntimeOffer {
  /** What people call it. */
  readonly name: string;
  readonly memoryMiB: number;
  readonly is64Bit: boolean;
  /** Whether its image has libraries for them, as one for amd64 does (`SandboxInfo.architecture`). */
  readonly has64BitLibraries: boolean;
  readonly network: boolean;
  /** Whether its processes can have terminals: they can unless it says otherwise. */
  readonly terminal?: boolean;
  /** The most that its sandboxes may keep; anything where it is absent. */
  readonly diskMiB?: number;
  /** Whether its image has a program. */
  readonly hasProgram: (name: string) => boolean;
  /** How many times as long as natively a program takes. */
  readonly slowdown: number;
  /** The longest that a task should take there. */
  readonly patienceMs: number;
}

/** Where a task should run, and why in words that can be shown. */
export interface RuntimeChoice<Offer extends RuntimeOffer = RuntimeOffer> {
  /** The first offer that meets every need; `undefined` when none does. */
  readonly offer: Offer | undefined;
  /** What the offers before it lack, or all of them. Empty when the first one will do. */
  readonly reasons: readonly string[];
}

/** Chooses where a task runs: the first of `offers`, which are in the order of preference, that has what it needs. */
export function chooseRuntime<Offer extends RuntimeOffer>(
  needs: RuntimeNeeds,
  offers: readonly Offer[],
): RuntimeChoice<Offer> {
  const reasons: string[] = [];
  for (const offer of offers) {
    const lacks = whatLacks(needs, offer);
    if (lacks.length === 0) return { offer, reasons };
    reasons.push(...lacks);
  }
  return { offer: undefined, reasons };
}

/** Why an offer will not do, one sentence each. */
function whatLacks(needs: RuntimeNeeds, offer: RuntimeOffer): string[] {
  const { memoryMiB = 0, is64Bit = false, uses64BitLibraries = false } = needs;
  const { network = false, terminal = false, diskMiB = 0, program, nativeMs = 0 } = needs;
  const { name, slowdown, patienceMs } = offer;
  const lacks: string[] = [];
  if (memoryMiB > offer.memoryMiB) {
    lacks.push(`it needs more memory than the ${offer.memoryMiB} MiB that ${name} has`);
  }
  if (is64Bit && !offer.is64Bit) lacks.push(`it is a program for 64-bit processors, and ${name} has 32 bits`);
  if (uses64BitLibraries && !offer.has64BitLibraries)
    lacks.push(`it is linked with 64-bit libraries, which the image of ${name} has not`);
  if (network && !offer.network) lacks.push(`it needs a network, which ${name} has not`);
  if (terminal && offer.terminal === false) lacks.push(`it needs a terminal, which ${name} has not`);
  if (offer.diskMiB !== undefined && diskMiB > offer.diskMiB)
    lacks.push(`it needs more room than the ${offer.diskMiB} MiB that ${name} has`);
  if (program !== undefined && !offer.hasProgram(program))
    lacks.push(`the image of ${name} has no ${program}`);
  if (nativeMs * slowdown > patienceMs) {
    lacks.push(`it would take about ${Math.round((nativeMs * slowdown) / 1000)} s in ${name}`);
  }
  return lacks;
}
