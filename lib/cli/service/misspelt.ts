import { appName } from '../../../functions/core/entry/package-name.ts';
import { allApplications } from '../../client/applications.ts';
import type { Client } from '../../client/client.ts';

/**
 * Returns the application whose name is nearly a name; null when there is an application of that name, none that is like
 * it, or no list of them.
 */
export async function nearlyNamed(client: Pick<Client, 'user' | 'call'>, name: string): Promise<string | null> {
  const { apps } = await allApplications(client).catch(() => ({ apps: [] }));
  const label = appName(name);
  if (apps.some(({ app }) => app === label)) return null;
  const ranked = apps
    .map((one) => ({ name: one.name, edits: editsBetween(one.app, label) }))
    .filter(({ edits }) => edits <= Math.max(1, Math.floor(label.length / 4)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name ?? null;
}

/** Returns how many characters one must insert, delete, replace or swap with the next to make one text of another. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row <= one.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)];
      rows[row][column] = Math.min(...edits, isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY);
    }
  }
  return at(one.length, other.length);
}
