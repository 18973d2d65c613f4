import { type SVGTemplateResult, svg } from 'lit';
import type { LaneEdge, LaneRow } from './layout-lanes.ts';

/** Height of a history row and width of a lane, in CSS pixels; the row's style says the same. */
export const rowHeightPx = 40;
export const laneWidthPx = 14;

/** Further lanes are drawn on the last one: a graph wider than its text is useless. */
const mostLanes = 7;
const middleY = 12;

/** How many lanes the widest of `rows` draws. */
export function countLanes(rows: readonly LaneRow[]): number {
  let widest = 0;
  for (const row of rows) {
    widest = Math.max(widest, row.lane);
    for (const edge of row.edges) widest = Math.max(widest, edge.lane);
  }
  return Math.min(widest, mostLanes) + 1;
}

/** The lines and the node of one row; only decoration, since the row's name has the information. */
export function laneGraph(
  row: LaneRow,
  options: { readonly tagged: boolean; readonly head: boolean },
): SVGTemplateResult {
  const x = laneX(row.lane);
  const ordered = [...row.edges].sort((a, b) => Number(a.live) - Number(b.live));
  return svg`
    ${ordered.map((edge) => svg`<path class=${edge.live ? 'edge live' : 'edge'} d=${edgePath(edge, row.lane)} />`)}
    ${node(x, { ...options, row })}`;
}

function node(x: number, options: { row: LaneRow; tagged: boolean; head: boolean }): SVGTemplateResult {
  const { row, tagged, head } = options;
  const classes = `node${row.live ? ' live' : ''}${head || row.id === 'now' ? ' filled' : ''}`;
  if (tagged) {
    const d = `M${x} ${middleY - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`;
    return svg`<path class=${classes} d=${d} />`;
  }
  return svg`<circle class=${classes} cx=${x} cy=${middleY} r=${row.id === 'now' ? 5 : 4} />`;
}

function laneX(lane: number): number {
  return Math.min(lane, mostLanes) * laneWidthPx + laneWidthPx / 2 + 2;
}

function edgePath(edge: LaneEdge, nodeLane: number): string {
  const x = laneX(edge.lane);
  const nodeX = laneX(nodeLane);
  if (edge.type === 'through') return `M${x} 0V${rowHeightPx}`;
  if (edge.type === 'above') {
    if (x === nodeX) return `M${x} 0V${middleY}`;
    return `M${x} 0C${x} ${middleY} ${x} ${middleY} ${nodeX} ${middleY}`;
  }
  if (x === nodeX) return `M${x} ${middleY}V${rowHeightPx}`;
  return `M${nodeX} ${middleY}C${x} ${middleY} ${x} ${middleY} ${x} ${rowHeightPx}`;
}
