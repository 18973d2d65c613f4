import type { CaseItemNode, StatementNode } from '../ast.ts';

/** Where a reader is. */
interface Position {
  at: number;
  /** Whether what was read up to here is read so as well when more of the source has come. */
  readonly mayKeep: boolean;
}

/** Items of a list that were read, and where what follows them begins. */
interface KeptItems<Item> {
  readonly items: Item[];
  readonly count: number;
  readonly at: number;
}

/** Lists that were read in part, by where they begin. */
class KeptLists<Item> {
  readonly #lists: Map<number, KeptItems<Item>> = new Map();

  /** The items that were read of the list that begins here, past which the reader goes. */
  resume(reader: Position): Item[] {
    const kept = this.#lists.get(reader.at);
    // A here-document of the line before would be passed with the end of that line.
    if (!kept || !reader.mayKeep) return [];
    reader.at = kept.at;
    // One that was read last may have been read for a part only.
    kept.items.length = kept.count;
    return kept.items;
  }

  /** The reader stands between two items of a list that begins at `from`. */
  keep(reader: Position, from: number, items: Item[]): void {
    if (!reader.mayKeep) return;
    this.#lists.set(from, { items, count: items.length, at: reader.at });
  }
}

/**
 * How far the lists of a source were read, of which more is to come: what was read of them need not be read again when it has
 * come. So a function of many lines that come one after another takes as long as they are.
 */
export class ReadProgress {
  readonly statements: KeptLists<StatementNode> = new KeptLists();
  readonly caseItems: KeptLists<CaseItemNode> = new KeptLists();
}
