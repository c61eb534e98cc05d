import { answers, applicationIn } from '../../client/applications.ts';
import { type Client, causeOf, Problem } from '../../client/client.ts';
import { type DocumentedEntry, followEntry, hasEnded } from '../../client/entry.ts';
import { processesIn } from '../../client/processes.ts';
import { BuildProgress, shownBuild } from '../../terminal/build-progress.ts';
import { progressLines } from '../../terminal/draw.ts';
import { printable, printableValue } from '../../terminal/printable.ts';

/** A deploy that a push has asked for. */
export interface FollowedPush {
  /** Address of its entry. */
  readonly entry: string;
  /** Returns the client with which the entry of a user is read. */
  readonly client: (user: string) => Client;
  readonly print: (line: string) => void;
  /** Ends it when the user who pushed has gone. */
  readonly signal?: AbortSignal;
  /** Time limit; default: half an hour. */
  readonly limitMs?: number;
}

/** A build may take twenty minutes. */
const LIMIT_MS = 30 * 60_000;

/**
 * Prints the stages of a deploy as they end, the output of a build that takes long, and then the address of the
 * application, or why there is none. It resolves when the deploy has ended, waits for CI, or takes longer than the
 * limit; the last line then says how to see the rest.
 */
export async function follow(push: FollowedPush): Promise<void> {
  const { entry, print, signal, limitMs = LIMIT_MS } = push;
  const [, user = '', id = ''] = /\/1\/status\/([^/]+)\/changes\/([^/?#]+)/.exec(entry) ?? [];
  const followed = { client: push.client(decodeURIComponent(user)), id, print };
  const build = new BuildProgress(shownBuild(followed.client, { id }, print));
  const limit = AbortSignal.timeout(limitMs);
  const ending = signal ? AbortSignal.any([signal, limit]) : limit;
  try {
    const isShown = await followStages(followed, build, ending);
    if (isShown || signal?.aborted) return;
    print(`Not finished after ${inWords(limitMs)}; the deploy goes on: ${pageOf(entry)}`);
  } catch (error) {
    const isRefused = error instanceof Problem && !error.isPassing;
    print(
      isRefused
        ? `The deploy cannot be followed: ${printable(causeOf(error))}. It goes on: ${pageOf(entry)}`
        : 'The service does not answer any more. The deploy goes on at its next start (npm start).',
    );
  } finally {
    build.close();
  }
}

interface Followed extends Pick<FollowedPush, 'print'> {
  readonly client: Client;
  readonly id: string;
}

/** Prints the stages as they end. Returns whether the deploy has ended or waits for CI; false when the signal aborts. */
async function followStages(followed: Followed, build: BuildProgress, signal: AbortSignal): Promise<boolean> {
  const { client, id, print } = followed;
  let printed = 0;
  let told = '';
  for await (const sent of followEntry(client, id, signal)) {
    const read = printableValue(sent);
    if (!read.doc) continue;
    const shown = await build.seen({ ...read, doc: read.doc });
    const lines = progressLines(shown);
    for (const line of lines.slice(printed)) print(line);
    printed = Math.max(printed, lines.length);
    if (shown.status === 'error') await tellWhatServes(shown, followed);
    if (hasEnded(shown) || shown.status === 'held') return true;
    const { reason } = shown.doc;
    if (reason !== null && reason !== told) print(`  … ${reason}`);
    told = reason ?? told;
  }
  return false;
}

/** A deploy that failed leaves the version before where it was, if there is one. */
async function tellWhatServes({ app_name }: DocumentedEntry, { client, print }: Followed): Promise<void> {
  if (app_name === null) return;
  // The reason of the failure is what matters, and it is printed.
  const ask = (...more: readonly string[]) =>
    client.call({ path: ['apps', client.user, app_name, ...more] }).catch(() => null);
  const app = printableValue(applicationIn(await ask()));
  const web = processesIn(await ask('processes'))?.processes.find(({ type }) => type === 'web');
  if (app && web && answers(web)) print(`The version before still answers: ${app.url}`);
}

export function pageOf(entry: string): string {
  return entry.replace(/\/1\/status\/([^/]+)\/changes\//, '/#/$1/deploys/');
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes === 0 ? `${milliseconds / 1000} s` : `${minutes} min`;
}
