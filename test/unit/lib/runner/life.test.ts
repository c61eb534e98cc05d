import { describe, expect, it } from 'vitest';
import { next } from '../../../../lib/runner/life.ts';
import { RUNNER_LIMITS } from '../../../../lib/runner/settings.ts';
import {
  type Effect,
  type Life,
  type LifeEvent,
  NEW_LIFE,
  stateForVisitors,
  stateOf,
} from '../../../../lib/runner/states.ts';

/** Someone asks for a start of that release, beside what runs or alone. */
const wish = (snapshot: string): LifeEvent => ({
  type: 'desired',
  snapshot,
  isAlone: false,
  runs: null,
  mayRest: false,
});
const alone = (snapshot: string, runs: string): LifeEvent => ({
  type: 'desired',
  snapshot,
  isAlone: true,
  runs,
  mayRest: false,
});
const answered = (version: number): LifeEvent => ({ type: 'answered', version, hasWeb: true, rests: false });
const rests = (version: number): LifeEvent => ({ type: 'answered', version, hasWeb: false, rests: true });
const failed = (version: number): LifeEvent => ({ type: 'failed', version, how: 'no', isCancelled: false });
const cancelled = (version: number): LifeEvent => ({ type: 'failed', version, how: 'cancelled', isCancelled: true });
const ended = (version: number): LifeEvent => ({ type: 'ended', version, how: 'ended', tooLarge: false, ranMs: 1 });
const grew = (version: number): LifeEvent => ({ type: 'ended', version, how: 'grew', tooLarge: true, ranMs: 1 });
const pause = (version: number): LifeEvent => ({ type: 'timer', timer: 'pause', version });
const kept = (version: number): LifeEvent => ({ type: 'timer', timer: 'kept', version });
const recovery = (version: number): LifeEvent => ({ type: 'timer', timer: 'recovery', version });
const turn = (version: number, isWanted = true): LifeEvent => ({ type: 'turn', version, isWanted });
const resumed = (snapshot: string | null, more = {}): LifeEvent => {
  return { type: 'resumed', snapshot, inTurn: true, ...more };
};
const missing = { missing: { snapshot: '1', why: 'Its tarball is gone.' } };
const idle: LifeEvent = { type: 'idle' };
const request: LifeEvent = { type: 'request' };
const stop: LifeEvent = { type: 'stopped' };

const up = [wish('1'), answered(1)];
const deployed = [...up, wish('2'), answered(2)];
const asleep = [...up, idle];
/** Five crashes in a row, each with a start. After the first one the versions are those of pauses and starts in turn. */
const looping = [
  ...up,
  ended(1),
  ...[2, 4, 6].flatMap((version) => [pause(version), failed(version + 1)]),
  pause(8),
  failed(9),
];

/** Returns a life after events, what people see of it, and what the last event does in a few words. */
function after(events: readonly LifeEvent[], from: Life = NEW_LIFE) {
  let [life, effects]: [Life, readonly Effect[]] = [from, []];
  for (const event of events) ({ life, effects } = next(life, event, RUNNER_LIMITS));
  return { life, sees: stateOf(life), does: effects.map(words).filter((one) => one !== '') };
}

function words(effect: Effect): string {
  if (effect.do === 'note' || effect.do === 'use') return '';
  if (effect.do === 'report') return effect.type;
  if (effect.do === 'arm') return `${effect.timer} ${effect.version} in ${effect.ms}`;
  return 'version' in effect ? `${effect.do} ${effect.version ?? 'none'}` : effect.do;
}

type Row = readonly [
  question: string,
  events: readonly LifeEvent[],
  sees: ReturnType<typeof stateOf>,
  does: readonly string[],
];

/** What the last event of each row does. A start, a pause and a turn each have the next version. */
const TABLE: Record<string, readonly Row[]> = {
  'a start': [
    ['begins when someone asks for it', [wish('1')], 'starting', ['start 1']],
    ['is live when it answers', up, 'running', ['serve 1', 'app.serving']],
    ['of a release that fails leaves a stopped application stopped', [wish('1'), failed(1)], 'stopped', []],
    ['is given up by a stop', [wish('1'), stop], 'stopped', ['cancel', 'end']],
    ['that answers after a stop is ended', [wish('1'), stop, answered(1)], 'stopped', ['retire 1']],
    ['that fails after a stop changes nothing', [wish('1'), stop, failed(1)], 'stopped', []],
    ['makes the next wish wait', [wish('1'), wish('2')], 'starting', []],
    [
      'of a release whose web waits for a request is asleep',
      [wish('1'), rests(1)],
      'asleep',
      ['serve 1', 'app.serving'],
    ],
  ],
  'a deploy': [
    ['leaves the release before live until it answers', [...up, wish('2')], 'running', ['start 2']],
    [
      'keeps the release before for a moment',
      deployed,
      'running',
      ['serve 2', `kept 1 in ${RUNNER_LIMITS.keepMs}`, 'app.serving'],
    ],
    ['ends the release before after that', [...deployed, kept(1)], 'running', ['retire 1']],
    ['that fails leaves the release before live', [...up, wish('2'), failed(2)], 'running', []],
    ['that ends at once is taken back', [...deployed, ended(2)], 'running', ['serve 1', 'app.returned']],
    [
      'that ends later has crashed',
      [...deployed, kept(1), ended(2)],
      'restarting',
      ['serve none', 'pause 3 in 1000', 'app.restarting'],
    ],
    ['goes on when the kept release ends', [...deployed, ended(1)], 'running', ['retire 1']],
    [
      'beside a kept release ends that',
      [...deployed, wish('3'), answered(3)],
      'running',
      ['serve 3', 'retire 1', `kept 2 in ${RUNNER_LIMITS.keepMs}`, 'app.serving'],
    ],
    [
      'whose release before ends meanwhile has nothing live',
      [...up, wish('2'), ended(1)],
      'starting',
      ['serve none', 'pause 3 in 1000', 'app.restarting'],
    ],
    [
      'that fails after that has the release before started after the pause',
      [...up, wish('2'), ended(1), pause(3), failed(2)],
      'restarting',
      ['pause 3 in 1000'],
    ],
    [
      'that is started again while it is taken back is not',
      [...deployed, wish('2'), ended(2)],
      'running',
      ['serve 1', 'cancel', 'app.returned'],
    ],
    ['is taken back when that start is given up', [...deployed, wish('2'), ended(2), cancelled(3)], 'running', []],
    [
      'that is started again while it is taken back is not',
      [...deployed, wish('2'), ended(2)],
      'running',
      ['serve 1', 'cancel', 'app.returned'],
    ],
    ['is taken back when that start is given up', [...deployed, wish('2'), ended(2), cancelled(3)], 'running', []],
    [
      'that takes over from one which ends at once goes back twice',
      [...deployed, wish('3'), ended(2)],
      'running',
      ['serve 1', 'app.returned'],
    ],
  ],
  'a deploy without overlap': [
    ['ends the release before first', [...up, alone('2', '1')], 'starting', ['end', 'start 2']],
    ['that fails starts the release before again', [...up, alone('2', '1'), failed(2)], 'starting', ['start 3']],
    [
      'that has failed is back when that answers',
      [...up, alone('2', '1'), failed(2), answered(3)],
      'running',
      ['serve 3'],
    ],
    [
      'that fails twice is tried again as after a crash',
      [...up, alone('2', '1'), failed(2), failed(3)],
      'restarting',
      ['pause 4 in 1000', 'app.restarting'],
    ],
    ['that is given up starts nothing again', [...up, alone('2', '1'), cancelled(2)], 'stopped', []],
  ],
  sleep: [
    ['begins when nobody has asked for a while', asleep, 'asleep', ['serve none', 'retire 1']],
    ['ends a kept release too', [...deployed, idle], 'asleep', ['serve none', 'retire 2', 'retire 1']],
    ['does not begin while a release starts, beside cron or not', [...up, wish('2'), idle], 'running', []],
    ['does not begin before it has answered', [wish('1'), idle], 'starting', []],
    ['ends in its turn with a request', [...asleep, request], 'starting', ['queue 2']],
    ['has one start for all requests', [...asleep, request, request], 'starting', []],
    ['ends with a start', [...asleep, request, turn(2)], 'starting', ['start 3']],
    ['goes on when all have left before its turn', [...asleep, request, turn(2, false)], 'asleep', []],
    [
      'ends with a crash when the start fails',
      [...asleep, request, turn(2), failed(3)],
      'restarting',
      ['pause 4 in 1000', 'app.restarting'],
    ],
    ['goes on after the pause of that', [...asleep, request, turn(2), failed(3), pause(4)], 'asleep', []],
    ['goes on when a deploy fails', [...asleep, wish('2'), failed(2)], 'asleep', []],
    ['ends with a deploy', [...asleep, wish('2'), answered(2)], 'running', ['serve 2', 'app.serving']],
    ['ends with a deploy that takes the turn of a request', [...asleep, request, wish('2'), turn(2)], 'starting', []],
    [
      'asks for the turn again when that deploy fails',
      [...asleep, request, wish('2'), failed(3)],
      'starting',
      ['queue 2'],
    ],
    ['ends nothing when its old process ends late', [...asleep, ended(1)], 'asleep', []],
  ],
  'a crash': [
    ['is followed by a pause', [...up, ended(1)], 'restarting', ['serve none', 'pause 2 in 1000', 'app.restarting']],
    ['is followed by a start', [...up, ended(1), pause(2)], 'restarting', ['start 3']],
    ['is over when that answers', [...up, ended(1), pause(2), answered(3)], 'running', ['serve 3', 'app.serving']],
    [
      'of a start doubles the pause',
      [...up, ended(1), pause(2), failed(3)],
      'restarting',
      ['pause 4 in 2000', 'app.restarting'],
    ],
    ['the fifth is a loop, and said so once', looping, 'restarting', ['pause 10 in 16000', 'app.crashed']],
    ['the sixth is not said', [...looping, pause(10), failed(11)], 'restarting', ['pause 12 in 32000']],
    [
      'in a loop it restarts also while it answers',
      [...looping, pause(10), answered(11)],
      'restarting',
      ['serve 11', `recovery 11 in ${RUNNER_LIMITS.crashWindowMs}`],
    ],
    [
      'the third for too much memory is a loop, in which it runs well until the next one',
      [...up, grew(1), pause(2), answered(3), grew(3), pause(4), answered(5), grew(5), pause(6), answered(7)],
      'running',
      ['serve 7', `recovery 7 in ${RUNNER_LIMITS.overrunWindowMs}`],
    ],
    [
      'for too much memory is watched for an hour',
      [...up, grew(1), pause(2), answered(3)],
      'running',
      ['serve 3', 'app.serving', `recovery 3 in ${RUNNER_LIMITS.overrunWindowMs}`],
    ],
    ['is over then', [...up, grew(1), pause(2), answered(3), recovery(3)], 'running', ['app.serving']],
    [
      'in a loop after one for too much memory is over before that',
      [
        ...up,
        grew(1),
        pause(2),
        ...[3, 5, 7, 9].flatMap((at) => [failed(at), pause(at + 1)]),
        failed(11),
        pause(12),
        answered(13),
        recovery(13),
      ],
      'running',
      ['app.serving', `recovery 13 in ${RUNNER_LIMITS.overrunWindowMs}`],
    ],
    ['has recovered after a minute', [...looping, pause(10), answered(11), recovery(11)], 'running', ['app.serving']],
    [
      'counts on when a deploy of it fails',
      [...looping, wish('2'), failed(11), pause(10), failed(12)],
      'restarting',
      ['pause 13 in 32000'],
    ],
    [
      'does not count any more when a deploy of it answers',
      [...looping, wish('2'), answered(11)],
      'running',
      ['serve 11', 'app.serving'],
    ],
    ['is not followed by a start when it is stopped', [...up, ended(1), stop, pause(2)], 'stopped', []],
    ['of an earlier process changes nothing', [...up, ended(1), pause(2), answered(3), ended(1)], 'running', []],
  ],
  'a start of the runner': [
    ['starts what ran when it is its turn', [resumed('1')], 'starting', ['queue 1']],
    ['starts it then', [resumed('1'), turn(1, false)], 'starting', ['start 2']],
    [
      'starts what may sleep at once, for its other processes',
      [resumed('1', { inTurn: false })],
      'starting',
      ['start 1'],
    ],
    [
      'tries it again as after a crash',
      [resumed('1'), turn(1), failed(2)],
      'restarting',
      ['pause 3 in 1000', 'app.restarting'],
    ],
    ['waits for a release that is built again', [resumed(null)], 'starting', []],
    ['starts that when it is built', [resumed(null), resumed('1')], 'starting', ['queue 1']],
    ['has crashed without a release', [resumed(null), resumed(null, missing)], 'crashed', ['app.crashed']],
    ['leaves what is stopped meanwhile', [resumed('1'), stop, turn(1)], 'stopped', []],
    ['leaves what is started meanwhile', [resumed('1'), wish('2'), answered(2), turn(1)], 'running', []],
    [
      'asks for its turn again after a start that has failed',
      [resumed('1'), wish('2'), turn(1), failed(2)],
      'starting',
      ['queue 1'],
    ],
    ['changes nothing of what runs', [...up, resumed('1')], 'running', []],
  ],
};

for (const [what, rows] of Object.entries(TABLE)) {
  describe(what, () => {
    it.each(rows)('%s', (_question, events, sees, does) => {
      expect(after(events)).toMatchObject({ sees, does });
    });
  });
}

it('nobody waits for the next start in a crash loop, and everybody for one that someone has asked for', () => {
  const { life } = after(looping);
  const found = (events: readonly LifeEvent[], from?: Life) => stateForVisitors(after(events, from).life);
  expect(found([], life)).toBe('crashed');
  expect(found([pause(10)], life)).toBe('crashed');
  expect(found([pause(10), answered(11)], life)).toBe('restarting');
  expect(found([wish('2')], life)).toBe('starting');
  const woken = after([...asleep, request, turn(2), failed(3), pause(4), request, turn(5)]).life;
  const loop = { ...woken, crashes: { ...woken.crashes, loop: 'inARow' as const } };
  expect(stateForVisitors(loop)).toBe('starting');
  // A worker runs, and its first `web` comes.
  const worker: LifeEvent = { type: 'answered', version: 1, hasWeb: false, rests: false };
  expect(found([wish('1'), worker])).toBe('running');
  expect(found([wish('1'), worker, wish('2')])).toBe('starting');
});
