import { textIn } from '../../provider/answers.ts';
import type { HerokuParts } from '../parts.ts';
import { herokuCalls } from './calls.ts';

/** Heroku gives a web process 60 seconds to listen; a run of the stage `start` has 110. */
const LIMIT_MS = 80_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 4_000;

/** A release as the service waits for it. */
export interface Release {
  readonly version: number;
  readonly status: string | undefined;
  /** When Heroku made it, by its own clock; RFC 3339. */
  readonly at: string;
}

/** Why a release does not run: its command `release` failed, a dyno crashed, or nothing ran in time. */
export class NotUp extends Error {
  override readonly name = 'NotUp';
  constructor(readonly why: 'release command' | 'crashed' | 'late') {
    super(why);
  }
}

/** Waits until every web dyno of a release is up. Throws `NotUp`. */
export async function untilUp(app: string, { version, status }: Release, parts: HerokuParts): Promise<void> {
  const calls = herokuCalls(app, parts);
  const end = parts.clock.now() + LIMIT_MS;
  let pause = FIRST_PAUSE_MS;
  let pending = status === 'pending';
  for (;;) {
    if (pending) pending = await isPending();
    const dynos = pending ? [] : (await calls.webDynos()).filter((dyno) => dyno.version >= version);
    if (dynos.some(({ state }) => state === 'crashed')) throw new NotUp('crashed');
    if (dynos.length > 0 && dynos.every(({ state }) => state === 'up' || state === 'idle')) return;
    if (parts.clock.now() + pause > end) throw new NotUp('late');
    await parts.clock.sleep(pause);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }

  /** The command `release` of the Procfile runs before any dyno of the release starts. */
  async function isPending(): Promise<boolean> {
    const { body } = await calls.get(['releases', String(version)], { what: 'the state of the release' });
    if (textIn(body, 'status') === 'failed') throw new NotUp('release command');
    return textIn(body, 'status') === 'pending';
  }
}
