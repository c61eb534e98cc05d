import { randomBytes, randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { DeployError } from '../../../../core/errors.ts';
import { jsonIn } from '../../../../core/json-value.ts';
import type { AppRuns } from '../../../../core/ports/applications.ts';
import type { AppRef } from '../../../../core/ports/platform.ts';
import { RunExit, type RunInput, RunPiece, type RunStart, type Said } from '../../../../core/ports/processes.ts';
import { onAws } from '../../../aws/failures.ts';
import { runKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys, type RunItem } from '../table/items.ts';
import {
  BEGINS_WITHIN_SECONDS,
  beginJob,
  ensureJobFunction,
  findReport,
  KILLED,
  reportBytes,
  SILENT,
  UNBEGUN,
} from './job-function.ts';

const CODE = 'request:failed';
/** One-off commands of an application at a time, as on the embedded platform. */
const MOST_AT_A_TIME = 5;
/** Longer than one may wait and run. */
const OVER_MS = 17 * 60_000;
const LOOK_MS = 1_000;
const MOST_READ_BYTES = 1024 * 1024;
/** Six times as long as a command that runs gives no sign. */
const SILENT_MS = 30_000;
const UNBEGUN_MS = BEGINS_WITHIN_SECONDS * 1000 + SILENT_MS;
const NO_INPUT = 'On AWS Lambda a command gets no input: give it what it needs as an argument, a variable or a file.';

/**
 * Returns the one-off commands, which the function beside an application runs. What they say is in an object that is
 * read on from where the last reader was.
 */
export function lambdaRuns(parts: LambdaPlatformParts): AppRuns {
  const { table } = parts;
  const on = <T>({ app }: AppRef, work: () => Promise<T>) => onAws(CODE, `the command in ${app}`, work);
  return {
    start: (app, run) => on(app, () => start(app, run, parts)),
    read: (app, run, signal) =>
      on(app, async () => {
        const item = await table.read(keys.run(app, run));
        return item && pieces({ app, run, item }, signal, parts);
      }),
    write: (app, run, input) => on(app, () => write({ app, run }, input, parts)),
  };
}

async function start(app: AppRef, { command }: RunStart, parts: LambdaPlatformParts) {
  const { table, clock } = parts;
  const item = await table.read(keys.app(app));
  if (!item) return null;
  if (item.snapshot === undefined) {
    const detail = `${app.app} has not been started yet, and a command runs in the release that is live: deploy it first.`;
    throw new DeployError('request:conflict', detail);
  }
  const known = await table.list(keys.runs(app));
  const over = known.filter(({ at }) => clock.now() - at > OVER_MS);
  for (const { sk } of over) await table.remove(keys.run(app, sk));
  if (known.length - over.length >= MOST_AT_A_TIME) {
    const detail = `${app.app} has ${MOST_AT_A_TIME} one-off commands running; end one of them first.`;
    throw new DeployError('request:throttled', detail);
  }
  await ensureJobFunction({ ...app, snapshot: item.snapshot }, parts);
  const id = randomBytes(12).toString('hex');
  await table.write(keys.run(app, id), { at: clock.now(), read: 0 });
  await beginJob(app, { run: id, command, isLogged: false }, parts);
  return { id };
}

interface Run {
  readonly app: AppRef;
  readonly run: string;
}

/** A signal is told apart from the one before it by an id. */
async function write({ app, run }: Run, { data, signal }: RunInput, parts: LambdaPlatformParts): Promise<boolean> {
  const { table, s3, bucket: Bucket } = parts;
  if (data !== undefined) throw new DeployError('request:not_supported', NO_INPUT);
  if (!(await table.read(keys.run(app, run)))) return false;
  const { control: Key } = runKeys(app, run);
  const Body = `${signal} ${randomUUID()}`;
  if (signal !== undefined) await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  return true;
}

/** How far it was read is written before it is passed on, so that each piece is read once, over all readers. */
async function* pieces(
  { app, run, item }: Run & { readonly item: RunItem },
  signal: AbortSignal,
  parts: LambdaPlatformParts,
): AsyncGenerator<readonly Said[]> {
  const { table, clock } = parts;
  const key = keys.run(app, run);
  let { read } = item;
  let signAt = read === 0 ? item.at : clock.now();
  while (!signal.aborted) {
    const { said, bytes } = await onAws(CODE, 'the output of a command', () => saidFrom(read, { app, run }, parts));
    if (bytes > 0) {
      if (!(await table.write(key, { read: read + bytes }, { attribute: 'read', is: read }))) throw readByAnother();
      read += bytes;
      signAt = clock.now();
      const isEnd = said.some((one) => 'exit' in one);
      if (isEnd) await table.remove(key);
      if (said.length > 0) yield said;
      if (isEnd) return;
      continue;
    }
    if (clock.now() - signAt > (read === 0 ? UNBEGUN_MS : SILENT_MS)) {
      await table.remove(key);
      return yield [{ exit: KILLED, reason: read === 0 ? UNBEGUN : SILENT }];
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

function readByAnother(): DeployError {
  return new DeployError('request:conflict', 'Somebody reads the output of this command already, or it was removed.');
}

interface SaidFrom {
  readonly said: readonly Said[];
  /** Of whole lines. */
  readonly bytes: number;
}

async function saidFrom(from: number, { app, run }: Run, parts: LambdaPlatformParts): Promise<SaidFrom> {
  const { bytes: length } = (await findReport(app, run, parts)) ?? { bytes: 0 };
  if (length <= from) return { said: [], bytes: 0 };
  const to = Math.min(length, from + MOST_READ_BYTES);
  const bytes = await reportBytes({ app, run, from, to }, parts);
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  return { said: whole.toString('utf8').split('\n').flatMap(saidIn), bytes: whole.length };
}

const Line = v.union([RunPiece, RunExit]);

/** A line without any of these is a sign that the command runs. */
function saidIn(line: string): readonly Said[] {
  const { success, output } = v.safeParse(Line, jsonIn(line));
  return success ? [output] : [];
}
