import type { BuildResult } from '../../../core/payload/delivery.ts';
import { skips } from '../../../core/payload/skip-words.ts';
import { oneLine } from '../../../core/text.ts';

/** Returns what a delivery contains of a commit message: its first line, and what the message asks to skip. */
export function messageFields(message: string | null | undefined): Pick<BuildResult, 'message' | 'skip'> {
  return { message: oneLine(message ?? '', 200), skip: skips(message ?? '') };
}
