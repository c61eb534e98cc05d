import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { DeployError, type ErrorCode } from '../../functions/core/errors.ts';
import type {
  ActivateOptions,
  Activation,
  AppRef,
  HostingPlatform,
  SnapshotRef,
  Upload,
  Uploaded,
} from '../../functions/core/ports/platform.ts';
import type { PrintedLine, Scale } from '../../functions/core/ports/processes.ts';

/** A snapshot in the fake. */
interface MemorySnapshot {
  readonly bytes: Buffer;
  readonly state: 'pending' | 'building' | 'ready' | 'failed';
  /** How many more polls return `building`. */
  readonly pollsLeft: number;
  /** The folder of the application in the tarball; absent for the root. */
  readonly path?: string | undefined;
  readonly settings?: Settings | undefined;
  /** Why it is failed. */
  readonly failure?: MemoryFailure;
}

/** An application in the fake. */
export interface MemoryApp {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The snapshot that serves, or served last. */
  readonly serving: string | null;
  readonly state: 'running' | 'asleep' | 'stopped' | 'crashed';
  readonly variables: Readonly<Record<string, string>>;
  /** Whether visitors are asked for one. */
  readonly password: boolean;
  readonly previewOf?: string | undefined;
  /** How many processes run, by type: one of each type that is not named. */
  readonly scale: Scale;
  readonly output: readonly PrintedLine[];
  readonly snapshots: Readonly<Record<string, MemorySnapshot>>;
}

const NEW_APP: MemoryApp = {
  manifest: {},
  serving: null,
  state: 'stopped',
  variables: {},
  password: false,
  scale: {},
  output: [],
  snapshots: {},
};

/** Why a build or a start failed, as a platform reports it. */
interface MemoryFailure {
  readonly reason: string;
  readonly log: readonly string[];
}

/** How the fake's applications behave; by default each is built at the first poll and starts. */
export interface MemoryBehaviour {
  /** Returns how many polls return `building`; default 0. */
  readonly slowPolls?: (snapshot: SnapshotRef) => number;
  /** Returns why a tarball cannot be built, or null. */
  readonly build?: (bytes: Buffer, snapshot: SnapshotRef) => MemoryFailure | null;
  /** Returns why it does not start, or null. */
  readonly start?: (bytes: Buffer, snapshot: SnapshotRef) => MemoryFailure | null;
}

type Method = keyof HostingPlatform;

/** An in-memory platform with controls for tests. */
export interface MemoryPlatform extends HostingPlatform {
  app(ref: AppRef): MemoryApp | undefined;
  /** The user's applications by name. */
  appsOf(user: string): ReadonlyMap<string, MemoryApp>;
  /** Changes an application; null removes it. */
  write(ref: AppRef, app: Partial<MemoryApp> | null): void;
  /** Makes the next calls of the method throw these errors, one each. */
  fail(method: Method, ...errors: readonly DeployError[]): void;
  /** The methods called, in order. */
  readonly calls: readonly Method[];
}

/** Returns an in-memory fake of a hosting platform, with the same error codes. */
export function memoryPlatform(behaviour: MemoryBehaviour = {}): MemoryPlatform {
  return new FakePlatform(behaviour);
}

class FakePlatform implements MemoryPlatform {
  readonly calls: Method[] = [];
  readonly #apps = new Map<string, MemoryApp>();
  readonly #failures: { readonly method: Method; readonly error: DeployError }[] = [];
  readonly #behaviour: MemoryBehaviour;

  constructor(behaviour: MemoryBehaviour) {
    this.#behaviour = behaviour;
  }

  app({ user, app }: AppRef): MemoryApp | undefined {
    return this.#apps.get(`${user}/${app}`);
  }

  appsOf(user: string): ReadonlyMap<string, MemoryApp> {
    const own = [...this.#apps].filter(([key]) => key.startsWith(`${user}/`));
    return new Map(own.map(([key, app]) => [key.slice(user.length + 1), app]));
  }

  write(ref: AppRef, app: Partial<MemoryApp> | null): void {
    if (app === null) this.#apps.delete(`${ref.user}/${ref.app}`);
    else this.#apps.set(`${ref.user}/${ref.app}`, { ...NEW_APP, ...this.app(ref), ...app });
  }

  fail(method: Method, ...errors: readonly DeployError[]): void {
    this.#failures.push(...errors.map((error) => ({ method, error })));
  }

  async ensureApp(
    ref: AppRef,
    manifest: MemoryApp['manifest'],
    how?: { readonly previewOf?: string | undefined },
  ): Promise<void> {
    this.#called('ensureApp');
    const { previewOf } = how ?? {};
    const parent = previewOf === undefined ? undefined : this.app({ ...ref, app: previewOf });
    this.write(ref, { manifest, previewOf, ...(parent && { password: parent.password }) });
  }

  async upload(ref: SnapshotRef, upload: Upload): Promise<Uploaded> {
    this.#called('upload');
    const app = this.app(ref);
    if (!app) throw refusal('deploy:platform:upload_tarball', `There is no application ${ref.app}.`);
    const bytes = await receive(upload);
    const known = app.snapshots[ref.snapshot];
    if (known) return known.bytes.equals(bytes) ? 'stored' : 'taken';
    this.#writeSnapshot(ref, { bytes, state: 'pending', pollsLeft: 0 });
    return 'stored';
  }

  async activate(ref: SnapshotRef, { path, settings }: ActivateOptions = {}): Promise<void> {
    this.#called('activate');
    const snapshot = this.#snapshot(ref, 'deploy:tar:extract_failed');
    if (snapshot.state !== 'pending') return;
    const pollsLeft = this.#behaviour.slowPolls?.(ref) ?? 0;
    this.#writeSnapshot(ref, { ...snapshot, path, settings, state: 'building', pollsLeft });
  }

  async poll(ref: SnapshotRef): Promise<Activation> {
    this.#called('poll');
    const snapshot = this.#snapshot(ref, 'deploy:tar:extract_failed');
    const { state, bytes, pollsLeft } = snapshot;
    if (state === 'ready') return { state };
    if (state === 'failed' && snapshot.failure) return { state, ...snapshot.failure };
    if (state === 'pending') return { state: 'building' };
    if (pollsLeft > 0) {
      this.#writeSnapshot(ref, { ...snapshot, pollsLeft: pollsLeft - 1 });
      return { state: 'building' };
    }
    const failure = this.#behaviour.build?.(bytes, ref) ?? null;
    this.#writeSnapshot(ref, { ...snapshot, ...(failure ? { state: 'failed', failure } : { state: 'ready' }) });
    return failure ? { state: 'failed', ...failure } : { state: 'ready' };
  }

  async cancel(ref: SnapshotRef): Promise<void> {
    this.#called('cancel');
    const snapshot = this.app(ref)?.snapshots[ref.snapshot];
    if (!snapshot || snapshot.state === 'ready' || snapshot.state === 'failed') return;
    const failure = { reason: 'The build was cancelled.', log: [] };
    this.#writeSnapshot(ref, { ...snapshot, state: 'failed', failure });
  }

  prune(): void {
    this.calls.push('prune');
  }

  async start(ref: SnapshotRef): Promise<{ readonly url: string }> {
    this.#called('start');
    const code = 'deploy:platform:start_app';
    const { state, bytes } = this.#snapshot(ref, code);
    if (state !== 'ready') throw refusal(code, `The snapshot ${ref.snapshot} is ${state}.`);
    const failure = this.#behaviour.start?.(bytes, ref);
    if (failure) throw refusal(code, failure.reason, failure.log);
    const { output = [] } = this.app(ref) ?? {};
    const serves = { at: new Date().toISOString(), stream: 'platform', line: `${ref.snapshot} serves` } as const;
    this.write(ref, { serving: ref.snapshot, state: 'running', output: [...output, serves] });
    return { url: `https://${ref.app}.${ref.user}.example.com` };
  }

  #called(method: Method): void {
    this.calls.push(method);
    const next = this.#failures.findIndex((one) => one.method === method);
    const [failure] = next < 0 ? [] : this.#failures.splice(next, 1);
    if (failure) throw failure.error;
  }

  #snapshot(ref: SnapshotRef, code: ErrorCode): MemorySnapshot {
    const snapshot = this.app(ref)?.snapshots[ref.snapshot];
    if (snapshot) return snapshot;
    throw refusal(code, `There is no snapshot ${ref.snapshot}.`);
  }

  #writeSnapshot(ref: SnapshotRef, snapshot: MemorySnapshot): void {
    const app = this.app(ref);
    if (app) this.write(ref, { snapshots: { ...app.snapshots, [ref.snapshot]: snapshot } });
  }
}

async function receive({ body, bytes, sha256 }: Upload): Promise<Buffer> {
  const code = 'deploy:platform:upload_tarball';
  const whole = await buffer(body);
  // Retryable: the source may have been read incompletely.
  if (whole.length !== bytes) {
    throw new DeployError(code, `The body has ${whole.length} bytes, not the ${bytes} declared.`, { retry: true });
  }
  const hash = createHash('sha256').update(whole).digest('hex');
  if (hash !== sha256) throw refusal(code, `The body has the SHA-256 ${hash}, not ${sha256}.`);
  return whole;
}

function refusal(code: ErrorCode, detail: string, logTail: readonly string[] = []): DeployError {
  return new DeployError(code, detail, { retry: false, logTail });
}
