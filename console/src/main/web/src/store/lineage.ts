import type { ModelVersion } from '../api/types.ts';

/** A version's place in a drawing of the lineage: newest on top, ancestors of the current version in lane 0. */
export interface LineageRow {
  version: ModelVersion;
  lane: number;
  /** row of the parent; -1 if there is none or it is no longer stored */
  parentRow: number;
}

/** Lays out versions, newest first. A branch that was abandoned gets a lane of its own. */
export function lineage(versions: ModelVersion[]): LineageRow[] {
  const rowOf = new Map(versions.map((version, row) => [version.version, row]));
  const lanes: number[] = new Array<number>(versions.length).fill(-1);
  let next = 1;
  versions.forEach((version, row) => {
    if (lanes[row] === -1) {
      lanes[row] = isAbandoned(version) ? next++ : 0;
    }
    // An abandoned parent of an abandoned version belongs to the same branch.
    const parent = rowOf.get(version.parent ?? 0);
    if (parent !== undefined && isAbandoned(version) && isAbandoned(versions[parent]) && lanes[parent] === -1) {
      lanes[parent] = lanes[row] as number;
    }
  });
  return versions.map((version, row) => ({
    version,
    lane: lanes[row] as number,
    parentRow: version.parent ? (rowOf.get(version.parent) ?? -1) : -1,
  }));
}

function isAbandoned(version: ModelVersion | undefined): boolean {
  return version?.descent === 'ABANDONED';
}
