import { createHash } from 'node:crypto';
import { DeployError, type ErrorOptions } from '../../core/errors.ts';
import type { AppRef, HostingPlatform, SnapshotRef, Upload } from '../../core/ports/hosting-platform.ts';

/** A snapshot as the twin keeps it. */
export interface MemorySnapshot {
  readonly ref: SnapshotRef;
  readonly bytes: Buffer;
  readonly state: 'pending' | 'building' | 'ready' | 'failed';
}

/** An application as the twin keeps it. */
export interface MemoryApp {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The snapshot that serves. */
  readonly serving: string | null;
  readonly snapshots: ReadonlyMap<string, MemorySnapshot>;
}

/** How the twin's applications behave. */
export interface MemoryPlatformBehaviour {
  /** How many polls find the snapshot still building; 0. */
  readonly slowPolls?: number;
  /** Why a snapshot cannot be built, or null. */
  readonly build?: (snapshot: MemorySnapshot) => { readonly reason: string; readonly log: readonly string[] } | null;
  /** Why it does not start, or null. */
  readonly start?: (snapshot: MemorySnapshot) => { readonly reason: string; readonly log: readonly string[] } | null;
}

/** A platform in memory, with what a test does to it and sees of it. */
export interface MemoryPlatform extends HostingPlatform {
  app(ref: AppRef): MemoryApp | undefined;
  /** The next calls of the method throw the errors, one each; then it works again. */
  fail(method: keyof HostingPlatform, ...errors: readonly DeployError[]): void;
  /** The methods called, in order. */
  readonly calls: readonly (keyof HostingPlatform)[];
}

interface Stored {
  manifest: Readonly<Record<string, unknown>>;
  serving: string | null;
  snapshots: Map<string, MemorySnapshot>;
}

const final: ErrorOptions = { retry: false };

/** The in-memory twin of a hosting platform, with the same codes. */
export function memoryPlatform(behaviour: MemoryPlatformBehaviour = {}): MemoryPlatform {
  const apps = new Map<string, Stored>();
  const polls = new Map<MemorySnapshot['bytes'], number>();
  const failures = new Map<keyof HostingPlatform, DeployError[]>();
  const calls: (keyof HostingPlatform)[] = [];
  const keyOf = ({ user, app }: AppRef) => `${user}/${app}`;

  function called(method: keyof HostingPlatform): void {
    calls.push(method);
    const failure = failures.get(method)?.shift();
    if (failure) throw failure;
  }

  function found(ref: SnapshotRef, code: 'deploy:tar:extract_failed' | 'deploy:platform:start_app') {
    const app = apps.get(keyOf(ref));
    const snapshot = app?.snapshots.get(ref.snapshot);
    if (!app || !snapshot) throw new DeployError(code, `There is no snapshot ${ref.snapshot}.`, final);
    const move = (state: MemorySnapshot['state']) => app.snapshots.set(ref.snapshot, { ...snapshot, state });
    return { app, snapshot, move };
  }

  return {
    calls,
    app: (ref) => apps.get(keyOf(ref)),
    fail: (method, ...errors) => void failures.set(method, [...(failures.get(method) ?? []), ...errors]),
    ensureApp: async (ref, manifest) => {
      called('ensureApp');
      const app = apps.get(keyOf(ref));
      if (app) app.manifest = manifest;
      else apps.set(keyOf(ref), { manifest, serving: null, snapshots: new Map() });
    },
    upload: async (ref, upload) => {
      called('upload');
      const app = apps.get(keyOf(ref));
      if (!app) throw new DeployError('deploy:platform:upload_tarball', `There is no application ${ref.app}.`, final);
      const bytes = await receive(upload);
      const known = app.snapshots.get(ref.snapshot);
      if (known && !known.bytes.equals(bytes)) throw mismatch(`The snapshot ${ref.snapshot} exists with other bytes.`);
      if (!known) app.snapshots.set(ref.snapshot, { ref, bytes, state: 'pending' });
    },
    activate: async (ref) => {
      called('activate');
      const { snapshot, move } = found(ref, 'deploy:tar:extract_failed');
      if (snapshot.state === 'ready' || snapshot.state === 'building') return;
      polls.set(snapshot.bytes, behaviour.slowPolls ?? 0);
      move('building');
    },
    poll: async (ref) => {
      called('poll');
      const { snapshot, move } = found(ref, 'deploy:tar:extract_failed');
      const left = polls.get(snapshot.bytes) ?? 0;
      if (snapshot.state === 'ready') return { state: 'ready' };
      if (snapshot.state === 'pending' || left > 0) {
        polls.set(snapshot.bytes, left - 1);
        return { state: 'building' };
      }
      const failure = behaviour.build?.(snapshot) ?? null;
      move(failure ? 'failed' : 'ready');
      return failure ? { state: 'failed', ...failure } : { state: 'ready' };
    },
    start: async (ref) => {
      called('start');
      const { app, snapshot } = found(ref, 'deploy:platform:start_app');
      const failure =
        snapshot.state === 'ready'
          ? behaviour.start?.(snapshot)
          : { reason: `The snapshot ${ref.snapshot} is ${snapshot.state}.`, log: [] };
      if (failure)
        throw new DeployError('deploy:platform:start_app', failure.reason, { ...final, logTail: failure.log });
      app.serving = ref.snapshot;
      return { url: `https://${ref.app}.${ref.user}.example.com` };
    },
  };
}

async function receive({ body, bytes, sha256 }: Upload): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (whole.length !== bytes) throw mismatch(`The body has ${whole.length} bytes, not the ${bytes} declared.`, true);
  const hash = createHash('sha256').update(whole).digest('hex');
  if (hash !== sha256) throw mismatch(`The body has the SHA-256 ${hash}, not ${sha256}.`);
  return whole;
}

function mismatch(detail: string, retry = false): DeployError {
  return new DeployError('deploy:platform:upload_tarball', detail, { retry });
}
