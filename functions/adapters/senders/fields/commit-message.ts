import type { BuildResult } from '../../../core/payload/delivery.ts';
import { skips } from '../../../core/payload/skip-words.ts';
import { oneLine } from '../../../core/text.ts';

/** Returns the first line of a commit message, and its skip directives. */
export function messageFields(message: string | null | undefined): Pick<BuildResult, 'message' | 'skip'> {
  return { message: oneLine(message ?? '', 200), skip: skips(message ?? '') };
}
