import { setTimeout } from 'node:timers/promises';
import { answers, applicationIn } from '../../client/applications.ts';
import { type Client, client } from '../../client/client.ts';
import { type DocumentedEntry, hasEnded, numberOf, readEntry } from '../../client/entry.ts';
import { outputLines } from '../../client/output.ts';
import { BuildProgress } from '../../terminal/build-progress.ts';
import { progressLines } from '../../terminal/draw.ts';
import { printableValue } from '../../terminal/printable.ts';

/** A deploy that a push has asked for. */
export interface FollowedPush {
  /** Address of its entry, as the webhook has answered it. */
  readonly entry: string;
  /** The webhook and its login, with which the entry is read. */
  readonly webhook: { readonly url: string; readonly user: string; readonly secret: string };
  readonly print: (line: string) => void;
  /** Ends it when the user who pushed has gone. */
  readonly signal?: AbortSignal;
  /** Time limit; default: half an hour. */
  readonly limitMs?: number;
}

/** A build may take twenty minutes. */
const LIMIT_MS = 30 * 60_000;
const TIMEOUT_MS = 10_000;
/** The pause between two looks; longer once the deploy is no quick one. */
const PAUSE_MS = 150;
const LONG_PAUSE_MS = 500;
const QUICK_MS = 15_000;
/** So many unanswered looks in a row, each after a long pause, mean that the service has stopped. */
const MAX_FAILURES = 6;

/**
 * Prints the stages of a deploy as they end, the output of a build that takes long, and then the address of the
 * application, or why there is none. It resolves when the deploy has ended, waits for CI, or takes longer than the
 * limit; the last line then says how to see the rest.
 */
export async function follow(push: FollowedPush): Promise<void> {
  const { entry, webhook, print } = push;
  const [, user = '', id = ''] = /\/1\/status\/([^/]+)\/changes\/([^/?#]+)/.exec(entry) ?? [];
  const { origin } = new URL(webhook.url);
  const followed = {
    ...push,
    id,
    user: decodeURIComponent(user),
    client: client({ url: origin, user: webhook.user, secret: webhook.secret, timeoutMs: TIMEOUT_MS }),
  };
  const path = ['status', followed.user, 'changes', id, 'build-log'];
  const build = new BuildProgress({
    output: (signal) => outputLines(followed.client.lines({ path, query: { follow: true }, signal })),
    print,
    whole: `hooks build-log ${numberOf({ id: entry })}`,
  });
  await followStages(followed, build).finally(() => build.close());
}

/**
 * The entry is read where the webhook is: its own address may be that of a proxy, which cannot be reached from here.
 */
interface Followed extends FollowedPush {
  readonly client: Client;
  readonly user: string;
  readonly id: string;
}

async function followStages(followed: Followed, build: BuildProgress): Promise<void> {
  const { entry, client, user, id, print, signal, limitMs = LIMIT_MS } = followed;
  const began = performance.now();
  let printed = 0;
  let told = '';
  let failures = 0;
  for (;;) {
    if (signal?.aborted) return;
    const elapsedMs = performance.now() - began;
    const read = printableValue(await readEntry({ user, call: client.call }, id).catch(() => null));
    const shown = read?.doc ? await build.seen({ ...read, doc: read.doc }) : null;
    failures = shown === null ? failures + 1 : 0;
    const lines = shown === null ? [] : progressLines(shown);
    for (const line of lines.slice(printed)) print(line);
    printed = Math.max(printed, lines.length);
    const waits = shown === null || hasEnded(shown) || shown.status === 'held' ? null : shown.doc.reason;
    if (waits !== null && waits !== told) print(`  … ${waits}`);
    told = waits ?? told;
    if (shown?.status === 'error') await tellWhatServes(shown, followed);
    if (shown !== null && (hasEnded(shown) || shown.status === 'held')) return;
    if (failures >= MAX_FAILURES) {
      return print('The service does not answer any more. The deploy goes on at its next start (npm start).');
    }
    if (elapsedMs > limitMs)
      return print(`Not finished after ${inWords(limitMs)}; the deploy goes on: ${pageOf(entry)}`);
    const pause = elapsedMs < QUICK_MS && failures === 0 ? PAUSE_MS : LONG_PAUSE_MS;
    await setTimeout(pause, undefined, { signal }).catch(() => {});
  }
}

/** A deploy that failed leaves the version before where it was, if there is one. */
async function tellWhatServes({ app_name }: DocumentedEntry, { client, user, print }: Followed): Promise<void> {
  if (app_name === null) return;
  // The reason of the failure is what matters, and it is printed.
  const answer = await client.call({ path: ['apps', user, app_name] }).catch(() => null);
  const app = printableValue(applicationIn(answer));
  if (app && answers(app)) print(`The version before still answers: ${app.url}`);
}

function pageOf(entry: string): string {
  return entry.replace(/\/1\/status\/([^/]+)\/changes\//, '/#/$1/deploys/');
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes === 0 ? `${milliseconds / 1000} s` : `${minutes} min`;
}
