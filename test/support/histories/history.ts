import fc from 'fast-check';
import { type Check, HOSTS, type HostKind } from './calls.ts';

/** What may happen: at the repository host, at CI, on the way of a call, in the service, by a person. */
const EVENTS = {
  push: 12,
  amend: 6,
  back: 3,
  jump: 3,
  remove: 1,
  create: 2,
  rename: 1,
  open: 4,
  sync: 5,
  reset: 3,
  pullBack: 2,
  close: 3,
  reopen: 2,
  ready: 1,
  run: 16,
  queue: 1,
  deliver: 8,
  again: 2,
  wait: 3,
  restart: 2,
  compare: 2,
  cancel: 1,
  release: 2,
  rollback: 1,
  redeploy: 1,
  deploy: 1,
} as const;

/** What happens in the wider histories too. */
const MORE_EVENTS = {
  away: 3,
  renameRepository: 1,
  connect: 1,
  follow: 1,
} as const;

export type Event = keyof typeof EVENTS | keyof typeof MORE_EVENTS;

/** What a commit's message says, or that nobody can read its package.json. */
export type Mark = 'none' | 'skip ci' | 'skip deploy' | 'unreadable';

export interface Step {
  readonly event: Event;
  /** Chooses among what there is: a commit, a pull request, a call. */
  readonly pick: number;
  readonly mark: Mark;
  readonly outcome: 'passed' | 'failed' | 'pending';
  /** Which of the checks of a commit: 1 is of another CI provider, 2 a second workflow of the name of the first, 3 of any other CI. */
  readonly check: Check;
  /** Whether the calls that it makes come at once, at a later step or never. */
  readonly arrives: 'now' | 'later' | 'never';
  /** How many stages run before the next step. */
  readonly work: number;
}

export interface History {
  readonly host: HostKind;
  readonly ci: 'wait' | 'ignore' | 'auto';
  readonly previews: 'true' | 'ci';
  /** By how much the host's answers are older than its calls. */
  readonly lagMs: number;
  /** For how long the host does not know a commit that it has announced. */
  readonly unknownMs: number;
  /** Whether a second webhook deploys an environment beside the application. */
  readonly hasEnvironment: boolean;
  /** Whether the webhook has been there since the first push. */
  readonly isHeard: boolean;
  readonly steps: readonly Step[];
}

/** More than any history needs: all that there is to do. */
export const ALL_WORK = 10_000;

/** The first one is the plainest. */
const weighted = <T>(...weights: readonly (readonly [value: T, weight: number])[]): fc.Arbitrary<T> =>
  fc.constantFrom(...weights.flatMap(([value, weight]) => Array<T>(weight).fill(value)));

type Weights<T> = readonly (readonly [value: T, weight: number])[];

const stepOf = (events: object, checks: Weights<Check>): fc.Arbitrary<Step> =>
  fc.record({
    event: weighted(...(Object.entries(events) as [Event, number][])),
    pick: fc.nat(11),
    mark: weighted<Mark>(['none', 12], ['skip ci', 2], ['skip deploy', 2], ['unreadable', 1]),
    outcome: weighted<Step['outcome']>(['passed', 6], ['failed', 3], ['pending', 1]),
    check: weighted(...checks),
    arrives: weighted<Step['arrives']>(['now', 10], ['later', 3], ['never', 1]),
    work: weighted([ALL_WORK, 15], [0, 1], [1, 1], [2, 1], [3, 1], [4, 1], [6, 1]),
  });

const CHECKS: Weights<Check> = [
  [0, 6],
  [1, 2],
  [2, 1],
];

const choices = (hosts: readonly HostKind[]) => ({
  host: fc.constantFrom(...hosts),
  ci: fc.constantFrom<History['ci'][]>('ignore', 'wait', 'auto'),
  previews: fc.constantFrom<History['previews'][]>('true', 'ci'),
});

/** A history of up to so many steps, at one of these hosts; a shorter and plainer one is tried when it fails. */
export const histories = (mostSteps: number, hosts: readonly HostKind[] = HOSTS): fc.Arbitrary<History> =>
  fc
    .noBias(
      fc.record({
        ...choices(hosts),
        lagMs: weighted([0, 3], [3000, 1]),
        steps: fc.array(stepOf(EVENTS, CHECKS), { minLength: 1, maxLength: mostSteps }),
      }),
    )
    .map((history) => ({ ...history, unknownMs: 0, hasEnvironment: false, isHeard: true }));

/**
 * The same with a host that is away or behind its calls, a repository that gets another name, any other CI, an
 * environment, and more of what a person does. The seeds of `histories` stay what they are.
 */
export const widerHistories = (mostSteps: number, hosts: readonly HostKind[] = HOSTS): fc.Arbitrary<History> =>
  fc.noBias(
    fc.record({
      ...choices(hosts),
      lagMs: weighted([0, 3], [3000, 1], [6000, 1]),
      unknownMs: weighted([0, 3], [5000, 1], [40_000, 1]),
      hasEnvironment: weighted([false, 3], [true, 1]),
      isHeard: weighted([true, 3], [false, 1]),
      steps: fc.array(stepOf({ ...EVENTS, ...MORE_EVENTS }, [...CHECKS, [3, 3]]), {
        minLength: 1,
        maxLength: mostSteps,
      }),
    }),
  );
