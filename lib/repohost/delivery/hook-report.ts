import type { Duplex } from 'node:stream';

/** The line with which the hook says that the push has the option `nowait`. */
export const NO_WAIT = 'nowait';
/** The line with which the host answers a report when its delivery is stored. */
export const TAKEN = 'taken';

/** What the hook of a push tells the host: the refs that have moved, and whether the push waits for the deploy. */
export interface HookReport {
  /** The lines that git gives a post-receive hook. */
  readonly moved: string;
  readonly waits: boolean;
}

/** The forty thousand refs of a large mirror; the hook does without the host what is larger. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Returns what the hook at the other end of a channel reports, up to an empty line. Null when the channel ends, the
 * client goes, or the limit is exceeded before that: the hook has to do it then, because nothing was answered.
 */
export function readReport(channel: Duplex, gone: AbortSignal): Promise<HookReport | null> {
  return new Promise((resolve) => {
    let text = '';
    channel.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\n\n')) resolve(reportIn(text));
      else if (text.length > MAX_CHARACTERS) resolve(null);
    });
    channel.once('close', () => resolve(null));
    if (gone.aborted) resolve(null);
    gone.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function reportIn(text: string): HookReport {
  const lines = text.trimEnd().split('\n');
  const moved = lines.filter((line) => line !== NO_WAIT);
  return { moved: moved.join('\n'), waits: moved.length === lines.length };
}
