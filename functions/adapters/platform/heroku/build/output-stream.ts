import { textLines } from '../../provider/text-lines.ts';
import type { HerokuParts } from '../parts.ts';

const READ_TIMEOUT_MS = 15_000;
const MAX_LINES = 20_000;

/**
 * Returns the whole output of a build that has ended; an empty list when Heroku no longer has it. The address is a
 * secret, so a failed request is not reported: its error would quote the address.
 */
export async function wholeOutput(address: string | undefined, { fetch }: HerokuParts): Promise<readonly string[]> {
  const lines: string[] = [];
  if (address === undefined) return lines;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
    if (!response.ok || !response.body) return lines;
    for await (const batch of textLines(response.body)) {
      lines.push(...batch);
      if (lines.length > MAX_LINES) lines.splice(0, lines.length - MAX_LINES);
    }
  } catch {
    // The lines until then are better than none.
  }
  return lines;
}
