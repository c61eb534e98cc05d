import { reasonIn } from '../../../../core/output/build-reason.ts';
import type { Activation, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { oneLine } from '../../../../core/text.ts';
import { keys } from '../../in-table/keys.ts';
import type { Item } from '../../in-table/table.ts';
import { nestedText, textIn } from '../../provider/answers.ts';
import type { HerokuParts } from '../parts.ts';
import { restBuilder } from '../run/formation.ts';
import { knownSnapshot } from './activate.ts';
import { wholeOutput } from './output-stream.ts';

const CODE = 'deploy:tar:extract_failed';
const ASK_EVERY_SECONDS = 2;
const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1000;
const MAX_REASON_LENGTH = 400;

/**
 * Returns the progress of a snapshot's build, as `HostingPlatform.poll` does. Heroku answers at once and limits the
 * number of calls, so the wait is here, with few of them.
 */
export async function pollBuild(snapshot: SnapshotRef, waitSeconds: number, parts: HerokuParts): Promise<Activation> {
  for (let left = waitSeconds; ; left -= ASK_EVERY_SECONDS) {
    const item = await knownSnapshot(snapshot, parts);
    if (item.state !== 'building') return storedResult(item);
    const activation = await progressOf(snapshot, item, parts);
    if (activation.state !== 'building' || left <= 0) return activation;
    await parts.clock.sleep(Math.min(left, ASK_EVERY_SECONDS) * 1000);
  }
}

function storedResult({ state, reason = '', log = '[]' }: Item): Activation {
  if (state === 'ready') return { state };
  if (state === 'failed') return { state, reason, log: JSON.parse(log) };
  return { state: 'building' };
}

async function progressOf(snapshot: SnapshotRef, { build = '' }: Item, parts: HerokuParts): Promise<Activation> {
  const { builder = '' } = (await parts.table.read(keys.app(snapshot))) ?? {};
  const path = ['apps', builder, 'builds', build];
  const { body } = await parts.api({ method: 'GET', path, code: CODE, what: `the build of ${snapshot.snapshot}` });
  const [status, slug] = [textIn(body, 'status'), nestedText(body, 'slug', 'id')];
  const end = (changes: Readonly<Record<string, string>>) =>
    parts.table.write(keys.snapshot(snapshot), changes, { exists: true });
  if (status === 'failed') {
    const failure = failureIn(await wholeOutput(textIn(body, 'output_stream_url'), parts));
    await end({ state: 'failed', reason: failure.reason, log: JSON.stringify(failure.log) });
    return { state: 'failed', ...failure };
  }
  if (status !== 'succeeded' || slug === undefined) return { state: 'building' };
  await restBuilder(builder, parts);
  await end({ state: 'ready', slug });
  return { state: 'ready' };
}

function failureIn(output: readonly string[]): { readonly reason: string; readonly log: readonly string[] } {
  const lines = output.map((line) => line.slice(0, MAX_LINE_LENGTH)).filter((line) => line.trim() !== '');
  // Heroku's own lines say that something failed, after those that say what, and the buildpack adds general advice.
  const advice = lines.findLastIndex((line) => /^-----> Build failed/.test(line));
  const printed = lines
    .slice(0, advice < 0 ? undefined : advice)
    .map((line) => line.trim())
    .filter((line) => !/^(?:-----> |! )/.test(line));
  const reason = oneLine(`The build failed${reasonIn(printed)}.`, MAX_REASON_LENGTH);
  return { reason: reason ?? 'The build failed.', log: lines.slice(-MAX_LOG_LINES) };
}
