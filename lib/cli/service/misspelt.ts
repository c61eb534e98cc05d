import { allApplications } from '../../client/applications.ts';
import type { Client } from '../../client/client.ts';

/**
 * Returns the application whose name is nearly a name; null when there is an application of that name, none that is like
 * it, or no list of them.
 */
export async function nearlyNamed(client: Pick<Client, 'user' | 'call'>, name: string): Promise<string | null> {
  const { apps } = await allApplications(client).catch(() => ({ apps: [] }));
  const label = platformName(name);
  if (apps.some((one) => one.name === name || one.app === label)) return null;
  const ranked = apps
    .map((one) => ({ name: one.name, edits: editsBetween(one.app, label) }))
    .filter(({ edits }) => edits <= Math.max(1, Math.floor(label.length / 4)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name ?? null;
}

/** Returns the name on the platform, but for names of more than 63 characters. */
export function platformName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Returns how many characters one must insert, delete, replace or swap with the next to make one text of another. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 0; row <= one.length; row += 1) {
    const cells = [row];
    rows[row] = cells;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)];
      cells[column] = Math.min(...edits, isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY);
    }
  }
  return at(one.length, other.length);
}
