import type { Duplex } from 'node:stream';

/** The report of a push's hook to the host: the refs that have moved, and the options of the push. */
interface HookReport {
  /** The folder of the repository; null where the host knows it. */
  readonly folder: string | null;
  /** The lines that git gives a post-receive hook. */
  readonly moved: string;
  /** What was given as `git push -o <option>`. */
  readonly options: readonly string[];
}

/** Before the folder of the repository, in a report by the socket of the host. */
const IN_FOLDER = 'in ';
/** Before an option of the push, in a report. */
export const OPTION = 'option ';
/** In place of what follows the first line of an option, which would be read as lines of the hook. git itself sends none. */
export const CUT = ' …';
/** The line with which the host answers a report when the push is recorded. */
export const TAKEN = 'taken';
/** The socket of the host, in its data folder, for the hooks of pushes into a folder. */
export const SOCKET = 'hook.sock';
/** What the hook says when nobody answers. */
export const NOT_RUNNING =
  'the deploy service is not running. The push is kept: the default branch is deployed when it starts next (npm start).';

/** A million refs. What is larger is noticed by the comparison. */
const MAX_CHARACTERS = 100 * 1024 * 1024;

/** Returns a report as text, which ends with an empty line. */
export function reportText({ folder, moved, options }: HookReport): string {
  const place = folder === null ? [] : [`${IN_FOLDER}${folder}`];
  return `${[...place, moved.trim(), ...options.map((option) => `${OPTION}${firstLine(option)}`)].join('\n')}\n\n`;
}

function firstLine(option: string): string {
  const end = option.indexOf('\n');
  return end === -1 ? option : `${option.slice(0, end)}${CUT}`;
}

/** Returns what the hook at the other end of a channel reports; null when the channel ends before that. */
export function readReport(channel: Duplex): Promise<HookReport | null> {
  return new Promise((resolve) => {
    const parts: string[] = [];
    let characters = 0;
    channel.setEncoding('utf8').on('data', (chunk: string) => {
      parts.push(chunk);
      characters += chunk.length;
      if ((parts.at(-2) ?? '').slice(-1).concat(chunk.slice(-2)).endsWith('\n\n')) resolve(reportIn(parts.join('')));
      else if (characters > MAX_CHARACTERS) resolve(null);
    });
    channel.once('end', () => resolve(null)).once('close', () => resolve(null));
  });
}

function reportIn(text: string): HookReport {
  const lines = text.trimEnd().split('\n');
  const after = (start: string) =>
    lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  const moved = lines.filter((line) => !line.startsWith(OPTION) && !line.startsWith(IN_FOLDER));
  return { folder: after(IN_FOLDER)[0] ?? null, moved: moved.join('\n'), options: after(OPTION) };
}
