import { requiredFields, requiredList, requiredText } from '../../provider/answers.ts';
import type { Formation } from '../../provider/formation.ts';
import type { ScalingoParts } from '../parts.ts';

const CODE = 'deploy:platform:start_app';
/** A run of the stage `start` has 110 seconds, and may have waited for a deployment before. */
const LIMIT_MS = 45_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 4_000;

type CallParts = Pick<ScalingoParts, 'api' | 'clock'>;

/** An app as Scalingo shows it. */
export interface ShownApp {
  readonly name: string;
  /** `new`, `running`, `stopped`, `crashed`, or what is done with it: `restarting`, `scaling`, `booting`. */
  readonly status: string;
}

/** A restart or a change of the number of containers did not end well. */
export class OperationFailed extends Error {
  override readonly name = 'OperationFailed';
  constructor(readonly why: 'error' | 'late') {
    super(why);
  }
}

/** Returns an app; null when it was deleted on Scalingo. */
export async function readApp(run: string, { api }: Pick<ScalingoParts, 'api'>): Promise<ShownApp | null> {
  const what = 'the state of the app';
  const { status, body } = await api({ method: 'GET', path: ['apps', run], code: CODE, what, accept: [404] });
  if (status === 404) return null;
  const { app } = requiredFields(body, CODE);
  return { name: requiredText(app, 'name', CODE), status: requiredText(app, 'status', CODE) };
}

/** Returns how many containers of each type an app has. */
export async function readFormation(run: string, { api }: CallParts): Promise<Formation> {
  const what = 'the number of containers';
  const { body } = await api({ method: 'GET', path: ['apps', run, 'containers'], code: CODE, what });
  const types = requiredList(requiredFields(body, CODE).containers, CODE).flatMap(({ name, amount }) =>
    typeof name === 'string' && typeof amount === 'number' ? [[name, amount] as const] : [],
  );
  return Object.fromEntries(types);
}

/** Sets the number of containers of these types, and waits until they run. Throws `OperationFailed`. */
export async function scale(run: string, formation: Formation, parts: CallParts): Promise<void> {
  const containers = Object.entries(formation).map(([name, amount]) => ({ name, amount }));
  if (containers.length === 0) return;
  const what = 'the number of containers';
  const path = ['apps', run, 'scale'];
  const { location } = await parts.api({ method: 'POST', path, json: { containers }, code: CODE, what });
  await untilDone(run, location, parts);
}

/** Starts all containers of an app anew, and waits until they run. Throws `OperationFailed`. */
export async function restart(run: string, parts: CallParts): Promise<void> {
  const path = ['apps', run, 'restart'];
  const { location } = await parts.api({ method: 'POST', path, json: { scope: [] }, code: CODE, what: 'the restart' });
  await untilDone(run, location, parts);
}

/**
 * Waits while an app starts. Throws `OperationFailed` when it does not run then, because a repeated call does not know
 * the result of the first one.
 */
export async function untilRunning(run: string, parts: CallParts): Promise<void> {
  await waiting(parts, async () => {
    const { status = 'stopped' } = (await readApp(run, parts)) ?? {};
    if (status === 'stopped' || status === 'crashed') throw new OperationFailed('error');
    return !CHANGING.has(status);
  });
}

const CHANGING = new Set(['new', 'booting', 'scaling', 'restarting']);

/** Waits for the operation whose address the call has answered; without one there is nothing to wait for. */
async function untilDone(run: string, location: string | null, parts: CallParts): Promise<void> {
  const id = location?.split('/').findLast((segment) => segment !== '');
  if (id === undefined) return;
  await waiting(parts, async () => {
    const path = ['apps', run, 'operations', id];
    const { body } = await parts.api({ method: 'GET', path, code: CODE, what: 'the state of the containers' });
    const status = requiredText(requiredFields(body, CODE).operation, 'status', CODE);
    if (status === 'error') throw new OperationFailed('error');
    return status === 'done';
  });
}

async function waiting({ clock }: CallParts, isDone: () => Promise<boolean>): Promise<void> {
  const end = clock.now() + LIMIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    if (await isDone()) return;
    if (clock.now() + pause > end) throw new OperationFailed('late');
    await clock.sleep(pause);
  }
}
