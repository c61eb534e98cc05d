import type { Activation, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { knownSnapshot, storedResult } from '../../in-table/known-snapshot.ts';
import type { Item } from '../../in-table/table.ts';
import { nestedText, textIn } from '../../provider/answers.ts';
import { buildFailureIn } from '../../provider/build-failure.ts';
import type { HerokuParts } from '../parts.ts';
import { restBuilder } from '../run/formation.ts';
import { wholeOutput } from './output-stream.ts';

const CODE = 'deploy:tar:extract_failed';
const ASK_EVERY_SECONDS = 2;

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

async function progressOf(snapshot: SnapshotRef, { build = '' }: Item, parts: HerokuParts): Promise<Activation> {
  const { builder = '' } = (await parts.table.read(keys.app(snapshot))) ?? {};
  const path = ['apps', builder, 'builds', build];
  const { body } = await parts.api({ method: 'GET', path, code: CODE, what: `the build of ${snapshot.snapshot}` });
  const [status, slug] = [textIn(body, 'status'), nestedText(body, 'slug', 'id')];
  const end = (changes: Readonly<Record<string, string>>) =>
    parts.table.write(keys.snapshot(snapshot), changes, { exists: true });
  if (status === 'failed') {
    const failure = buildFailureIn(await wholeOutput(textIn(body, 'output_stream_url'), parts));
    await end({ state: 'failed', reason: failure.reason, log: JSON.stringify(failure.log) });
    return { state: 'failed', ...failure };
  }
  if (status !== 'succeeded' || slug === undefined) return { state: 'building' };
  await restBuilder(builder, parts);
  await end({ state: 'ready', slug });
  return { state: 'ready' };
}
