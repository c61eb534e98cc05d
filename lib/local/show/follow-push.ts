import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { BuildProgress } from '../../terminal/build-progress.ts';
import { progressLines } from '../../terminal/draw.ts';
import { printableValue } from '../../terminal/printable.ts';
import { isFinal, type ShownEntry } from '../../terminal/shown-entry.ts';

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
  const whole = `hooks build-log ${Number(entry.slice(-12))}`;
  const build = new BuildProgress({ output: (signal) => outputOf(entry, webhook, signal), print, whole });
  await followStages(push, build).finally(() => build.close());
}

async function followStages(
  { entry, webhook, print, signal, limitMs = LIMIT_MS }: FollowedPush,
  build: BuildProgress,
): Promise<void> {
  const began = performance.now();
  let printed = 0;
  let told = '';
  let failures = 0;
  for (;;) {
    if (signal?.aborted) return;
    const elapsedMs = performance.now() - began;
    const read = await readEntry(entry, webhook).catch(() => null);
    const shown = read && (await build.seen(read));
    failures = shown === null ? failures + 1 : 0;
    const lines = shown === null ? [] : progressLines(shown);
    for (const line of lines.slice(printed)) print(line);
    printed = Math.max(printed, lines.length);
    const waits = shown === null || isFinal(shown) || shown.status === 'held' ? null : shown.doc.reason;
    if (waits !== null && waits !== told) print(`  … ${waits}`);
    told = waits ?? told;
    if (shown?.status === 'error') await tellWhatServes(shown, { entry, webhook, print });
    if (shown !== null && (isFinal(shown) || shown.status === 'held')) return;
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
async function tellWhatServes({ app_name }: ShownEntry, { entry, webhook, print }: FollowedPush): Promise<void> {
  if (app_name === null) return;
  try {
    const user = /\/1\/status\/([^/]+)/.exec(entry)?.[1];
    const path = `/1/apps/${user}/${encodeURIComponent(app_name)}`;
    const response = await request(path, webhook, AbortSignal.timeout(TIMEOUT_MS));
    const { state, url } = (await response.json()) as { readonly state: string; readonly url: string | null };
    if (state === 'running') print(`The version before still answers: ${url}`);
  } catch {
    // The reason of the failure is what matters, and it is printed.
  }
}

async function readEntry(entry: string, webhook: FollowedPush['webhook']): Promise<ShownEntry> {
  const response = await request(`${pathOf(entry)}?include_docs=true`, webhook, AbortSignal.timeout(TIMEOUT_MS));
  return printableValue((await response.json()) as ShownEntry);
}

async function* outputOf(
  entry: string,
  webhook: FollowedPush['webhook'],
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const { body } = await request(`${pathOf(entry)}/build-log?follow`, webhook, signal);
  if (body) yield* createInterface({ input: Readable.fromWeb(body) });
}

function pathOf(entry: string): string {
  return /\/1\/status\/[^/]+\/changes\/[^/?#]+/.exec(entry)?.[0] ?? '';
}

/**
 * The entry is read where the webhook is: its own address may be that of a proxy, which cannot be reached from here.
 */
async function request(
  path: string,
  { url, user, secret }: FollowedPush['webhook'],
  signal: AbortSignal,
): Promise<Response> {
  const authorization = basicHeader(`${user}:${secret}`);
  const response = await fetch(new URL(path, url), { headers: { authorization }, signal });
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  return response;
}

/** Returns the address of the entry's page. */
function pageOf(entry: string): string {
  return entry.replace(/\/1\/status\/([^/]+)\/changes\//, '/#/$1/deploys/');
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes === 0 ? `${milliseconds / 1000} s` : `${minutes} min`;
}
