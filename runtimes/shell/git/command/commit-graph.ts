type State = 'padding' | 'pre-commit' | 'commit' | 'post-merge' | 'collapsing' | 'skip';

const mergeMarks = ['/', '|', '\\'] as const;

/**
 * The lines that `git log --graph` draws beside commits, which come with children before parents (git's `graph.c`). A column stands for a
 * commit that is still to come; `mapping` tells which column each place of a line leads to.
 */
export class CommitGraph {
  #commit = '';
  #parents: readonly string[] = [];
  #mark = '*';
  #state: State = 'padding';
  #previousState: State = 'padding';
  #columns: string[] = [];
  #newColumns: string[] = [];
  /** Where each of the new ones stands. */
  #places = new Map<string, number>();
  #mapping: number[] = [];
  #oldMapping: number[] = [];
  #mappingSize = 0;
  #width = 0;
  #commitIndex = 0;
  #previousCommitIndex = 0;
  #mergeLayout = 0;
  #edgesAdded = 0;
  #previousEdgesAdded = 0;
  #expansionRow = 0;

  /** Goes on to the next commit; `parents` are those that are shown. */
  update(commit: string, parents: readonly string[], mark = '*'): void {
    this.#commit = commit;
    this.#parents = parents;
    this.#mark = mark;
    this.#previousCommitIndex = this.#commitIndex;
    this.#updateColumns();
    this.#expansionRow = 0;
    if (this.#state !== 'padding') this.#state = 'skip';
    else this.#state = this.#needsPreCommitLine() ? 'pre-commit' : 'commit';
  }

  /** Whether all lines of the commit have been drawn. */
  get isFinished(): boolean {
    return this.#state === 'padding';
  }

  /** The next line, and whether the commit stands in it. */
  next(): { readonly text: string; readonly isCommit: boolean } {
    const state = this.#state;
    const line = this.#lineOf(state);
    return { text: line.padEnd(this.#width), isCommit: state === 'commit' };
  }

  /** A line that leaves all branches as they are, such as stands beside a patch. */
  padding(): string {
    if (this.#state !== 'commit') return this.next().text;
    const line = this.#columns.map((column) =>
      column === this.#commit && this.#parents.length > 2
        ? `|${' '.repeat((this.#parents.length - 2) * 2)}`
        : '| ',
    );
    this.#previousState = 'padding';
    return line.join('').padEnd(this.#width);
  }

  #lineOf(state: State): string {
    switch (state) {
      case 'padding':
        return this.#newColumns.map(() => '| ').join('');
      case 'skip':
        this.#become(this.#needsPreCommitLine() ? 'pre-commit' : 'commit');
        return '...';
      case 'pre-commit':
        return this.#preCommitLine();
      case 'commit':
        return this.#commitLine();
      case 'post-merge':
        return this.#postMergeLine();
      case 'collapsing':
        return this.#collapsingLine();
    }
  }

  #become(state: State): void {
    this.#previousState = this.#state;
    this.#state = state;
  }

  #updateColumns(): void {
    [this.#columns, this.#newColumns] = [this.#newColumns, []];
    this.#places = new Map();
    this.#mapping = new Array(2 * (this.#columns.length + Math.max(this.#parents.length, 1)) + 2).fill(-1);
    this.#width = 0;
    this.#previousEdgesAdded = this.#edgesAdded;
    this.#edgesAdded = 0;
    let isSeen = false;
    for (let index = 0; index <= this.#columns.length; index++) {
      if (index === this.#columns.length && isSeen) break;
      const column = this.#columns[index] ?? this.#commit;
      if (column !== this.#commit) {
        this.#insert(column, -1);
        continue;
      }
      isSeen = true;
      this.#commitIndex = index;
      this.#mergeLayout = -1;
      for (const parent of this.#parents) this.#insert(parent, index);
      if (this.#parents.length === 0) this.#width += 2;
    }
    this.#mappingSize = this.#mapping.length;
    while (this.#mappingSize > 1 && (this.#mapping[this.#mappingSize - 1] ?? -1) < 0) this.#mappingSize -= 1;
  }

  #insert(commit: string, index: number): void {
    const column = this.#places.get(commit) ?? this.#newColumns.push(commit) - 1;
    this.#places.set(commit, column);
    let place: number;
    if (this.#parents.length > 1 && index > -1 && this.#mergeLayout === -1) {
      const distance = index - column;
      const shift = distance > 1 ? 2 * distance - 3 : 1;
      this.#mergeLayout = distance > 0 ? 0 : 1;
      this.#edgesAdded = this.#parents.length + this.#mergeLayout - 2;
      place = this.#width + (this.#mergeLayout - 1) * shift;
      this.#width += 2 * this.#mergeLayout;
    } else if (this.#edgesAdded > 0 && column === this.#mapping[this.#width - 2]) {
      place = this.#width - 2;
      this.#edgesAdded = -1;
    } else {
      place = this.#width;
      this.#width += 2;
    }
    this.#mapping[place] = column;
  }

  get #dashedParents(): number {
    return this.#parents.length + this.#mergeLayout - 3;
  }

  #needsPreCommitLine(): boolean {
    return (
      this.#parents.length >= 3 &&
      this.#commitIndex < this.#columns.length - 1 &&
      this.#expansionRow < this.#dashedParents * 2
    );
  }

  #isMappingCorrect(): boolean {
    for (let at = 0; at < this.#mappingSize; at++) {
      const target = this.#mapping[at] ?? -1;
      if (target >= 0 && target !== at >> 1) return false;
    }
    return true;
  }

  #preCommitLine(): string {
    let line = '';
    let isSeen = false;
    for (const [index, column] of this.#columns.entries()) {
      const wasBent = this.#previousState === 'post-merge' && this.#previousCommitIndex < index;
      if (column === this.#commit) {
        isSeen = true;
        line += `|${' '.repeat(this.#expansionRow)}`;
      } else line += isSeen && (this.#expansionRow > 0 || wasBent) ? '\\' : '|';
      line += ' ';
    }
    this.#expansionRow += 1;
    if (!this.#needsPreCommitLine()) this.#become('commit');
    return line;
  }

  #commitLine(): string {
    let line = '';
    let isSeen = false;
    for (let index = 0; index <= this.#columns.length; index++) {
      if (index === this.#columns.length && isSeen) break;
      const column = this.#columns[index] ?? this.#commit;
      if (column === this.#commit) {
        isSeen = true;
        line += this.#mark;
        const dashes = this.#parents.length > 2 ? this.#dashedParents : 0;
        for (let dash = 0; dash < dashes; dash++) line += dash === dashes - 1 ? '-.' : '--';
      } else if (isSeen && this.#edgesAdded > 1) line += '\\';
      else if (isSeen && this.#edgesAdded === 1) {
        const wasBent =
          this.#previousState === 'post-merge' &&
          this.#previousEdgesAdded > 0 &&
          this.#previousCommitIndex < index;
        line += wasBent ? '\\' : '|';
      } else {
        const isMoving =
          this.#previousState === 'collapsing' &&
          this.#oldMapping[2 * index + 1] === index &&
          (this.#mapping[2 * index] ?? -1) < index;
        line += isMoving ? '/' : '|';
      }
      line += ' ';
    }
    if (this.#parents.length > 1) this.#become('post-merge');
    else this.#become(this.#isMappingCorrect() ? 'padding' : 'collapsing');
    return line;
  }

  #postMergeLine(): string {
    let line = '';
    let isSeen = false;
    let isParentSeen = false;
    for (let index = 0; index <= this.#columns.length; index++) {
      if (index === this.#columns.length && isSeen) break;
      const column = this.#columns[index] ?? this.#commit;
      if (column === this.#commit) {
        isSeen = true;
        let mark = this.#mergeLayout;
        for (let parent = 0; parent < this.#parents.length; parent++) {
          line += mergeMarks[mark] ?? '\\';
          if (mark < 2) mark += 1;
          else if (this.#edgesAdded > 0 || parent < this.#parents.length - 1) line += ' ';
        }
        if (this.#edgesAdded === 0) line += ' ';
      } else if (isSeen) line += this.#edgesAdded > 0 ? '\\ ' : '| ';
      else {
        line += '|';
        if (this.#mergeLayout !== 0 || index !== this.#commitIndex - 1) line += isParentSeen ? '_' : ' ';
      }
      if (column === this.#parents[0]) isParentSeen = true;
    }
    this.#become(this.#isMappingCorrect() ? 'padding' : 'collapsing');
    return line;
  }

  #collapsingLine(): string {
    const from = this.#mapping;
    const to: number[] = new Array(from.length).fill(-1);
    let edge = -1;
    let edgeTarget = -1;
    const goAcross = (target: number, at: number, place: number) => {
      if (edge !== -1) return;
      edge = place;
      edgeTarget = target;
      for (let each = target * 2 + 3; each < at - 2; each += 2) to[each] = target;
    };
    for (let at = 0; at < this.#mappingSize; at++) {
      const target = from[at] ?? -1;
      if (target < 0) continue;
      if (target * 2 === at) to[at] = target;
      else if ((to[at - 1] ?? -1) < 0) {
        to[at - 1] = target;
        goAcross(target, at, at);
      } else if (to[at - 1] !== target) {
        to[at - 2] = target;
        goAcross(target, at, at - 1);
      }
    }
    this.#mapping = to;
    this.#oldMapping = [...to];
    if ((to[this.#mappingSize - 1] ?? -1) < 0) this.#mappingSize -= 1;
    let line = '';
    let isAcross = false;
    for (let at = 0; at < this.#mappingSize; at++) {
      const target = to[at] ?? -1;
      if (target < 0) line += ' ';
      else if (target * 2 === at) line += '|';
      else if (target === edgeTarget && at !== edge - 1) {
        if (at !== target * 2 + 3) to[at] = -1;
        isAcross = true;
        line += '_';
      } else {
        if (isAcross && at < edge) to[at] = -1;
        line += '/';
      }
    }
    if (this.#isMappingCorrect()) this.#become('padding');
    return line;
  }
}
