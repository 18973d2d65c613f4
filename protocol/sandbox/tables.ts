import { checkpointsTable } from './checkpoints-table.ts';
import type { SandboxFacets } from './connection.ts';
import { eventsTable } from './events-table.ts';
import { filesTable } from './files-table.ts';
import { gitTable } from './git-table.ts';
import { historyTable } from './history-table.ts';
import { infoTable } from './info-table.ts';
import { networkTable } from './network-table.ts';
import { processesTable } from './processes-table.ts';
import { recordingTable } from './recording-table.ts';
import type { AnyRow, Table } from './row.ts';
import { shellsTable } from './shells-table.ts';
import { transferTable } from './transfer-table.ts';

/**
 * Every method of a sandbox, by facet: what it may do, what it takes and what it gives. Transports, access control and
 * whatever else handles all methods alike are loops over this.
 */
export const sandboxTables: { readonly [F in keyof SandboxFacets]: Table<SandboxFacets[F]> } = {
  info: infoTable,
  processes: processesTable,
  shells: shellsTable,
  files: filesTable,
  history: historyTable,
  checkpoints: checkpointsTable,
  transfer: transferTable,
  network: networkTable,
  git: gitTable,
  recording: recordingTable,
  events: eventsTable,
};

/** A method as loops over the tables see it. */
export interface MethodRow {
  readonly facet: keyof SandboxFacets;
  readonly method: string;
  readonly row: AnyRow;
}

/** A method as loops call it: with one object, and a listener where it tells of something. */
// biome-ignore lint/suspicious/noExplicitAny: the row says which listener, and what comes back.
export type AnyMethod = (ask?: any, listener?: any) => Promise<any>;

/** All methods, in the order of the tables. */
export const sandboxMethods: readonly MethodRow[] = Object.entries(sandboxTables).flatMap(([facet, table]) =>
  Object.entries(table as Readonly<Record<string, AnyRow>>).map(([method, row]) => ({
    facet: facet as keyof SandboxFacets,
    method,
    row,
  })),
);

/** All facets, of methods that `make` makes. */
export function makeFacets(make: (method: MethodRow) => AnyMethod): SandboxFacets {
  const made: Partial<Record<keyof SandboxFacets, Record<string, AnyMethod>>> = {};
  for (const each of sandboxMethods) {
    made[each.facet] ??= {};
    Object.assign(made[each.facet] as object, { [each.method]: make(each) });
  }
  // The tables have a row for each method of each facet: a missing one does not compile.
  return made as unknown as SandboxFacets;
}

/** Calls one method of `facets`. */
export function callMethod(
  facets: SandboxFacets,
  { facet, method }: Pick<MethodRow, 'facet' | 'method'>,
  ...parameters: Parameters<AnyMethod>
): ReturnType<AnyMethod> {
  const methods = facets[facet] as unknown as Readonly<Record<string, AnyMethod>>;
  return (methods[method] as AnyMethod).call(methods, ...parameters);
}
