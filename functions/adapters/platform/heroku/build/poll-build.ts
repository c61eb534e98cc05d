import type { Activation, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { knownSnapshot, storedResult } from '../../in-table/known-snapshot.ts';
import type { Item } from '../../in-table/table.ts';
import { nestedText, textIn } from '../../provider/answers.ts';
import { buildFailureIn } from '../../provider/build-failure.ts';
import { pollUntil } from '../../provider/poll-until.ts';
import type { HerokuParts } from '../parts.ts';
import { restBuilder } from '../run/formation.ts';
import { wholeOutput } from './output-stream.ts';

const CODE = 'deploy:tar:extract_failed';

/** Returns the progress of a snapshot's build, as `HostingPlatform.poll` does. */
export function pollBuild(snapshot: SnapshotRef, waitSeconds: number, parts: HerokuParts): Promise<Activation> {
  return pollUntil(waitSeconds, parts.clock, async () => {
    const item = await knownSnapshot(snapshot, parts);
    return item.state === 'building' ? progressOf(snapshot, item, parts) : storedResult(item);
  });
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
