import type { BuildResult } from '../../../core/payload/delivery.ts';
import { skips } from '../../../core/payload/skip-words.ts';
import { oneLine } from '../../../core/text.ts';

/** What is kept of a commit's whole message: its first line, fit to be shown, and what it asks to leave out. */
export function messageFields(message: string | null | undefined): Pick<BuildResult, 'message' | 'skip'> {
  return { message: oneLine(message ?? '', 200), skip: skips(message ?? '') };
}
