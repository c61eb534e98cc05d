import { isObject, parseJson } from '../../../core/json.ts';
import type { OutputLine } from '../../../core/ports/apps/app-output.ts';
import type { AppRef } from '../../../core/ports/hosting-platform.ts';
import { keys } from '../in-table/keys.ts';
import type { Item } from '../in-table/table.ts';
import type { ProviderParts } from './parts.ts';

/** Notes are stored here because only the provider can write to an app's log. The newest are kept. */
const KEPT_NOTES = 20;

/** Stores a message of the platform about an application, for its output. A lost note does no harm. */
export async function note(
  app: AppRef,
  line: string,
  { table, clock }: Pick<ProviderParts, 'table' | 'clock'>,
): Promise<void> {
  const item = await table.read(keys.app(app));
  if (!item) return;
  const at = new Date(clock.now()).toISOString();
  const notes = [...notesIn(item), { at, stream: 'platform', line }].slice(-KEPT_NOTES);
  await table.write(keys.app(app), { notes: JSON.stringify(notes) }, { exists: true });
}

/** Returns the notes of an application's item, oldest first. */
export function notesIn({ notes = '[]' }: Item): readonly OutputLine[] {
  const parsed = parseJson(notes);
  const all: readonly unknown[] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  return all.flatMap((one) => {
    if (!isObject(one)) return [];
    const { at, stream, line } = one;
    const isNote = typeof at === 'string' && typeof stream === 'string' && typeof line === 'string';
    return isNote ? [{ at, stream, line }] : [];
  });
}
