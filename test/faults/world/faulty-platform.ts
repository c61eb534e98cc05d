import { DeployError, type ErrorCode } from '../../../functions/core/errors.ts';
import type { HostingPlatform } from '../../../functions/core/ports/platform.ts';
import { withUpload } from '../../../functions/core/tarball/upload.ts';
import { type MemoryPlatform, memoryPlatform } from '../../fakes/hosting-platform.ts';
import type { Fault } from './faults.ts';

/** A start of a snapshot that the platform has carried out. */
interface Activation {
  readonly app: string;
  readonly snapshot: string;
}

/** Versions of packages that the platform cannot build, or not start. */
export const BROKEN = { build: '0.0.1', start: '0.0.2' } as const;
/** The version of packages whose build takes a second or two. */
export const SLOW = '1.1.0';

/** Makes a call with the fault that it shall have. */
export type Outgoing = <T>(what: string, send: (fault: Fault | null) => Promise<T>) => Promise<T>;

/** The code that each call fails with. */
const CODES: Readonly<Record<keyof HostingPlatform, ErrorCode>> = {
  ensureApp: 'deploy:platform:upload_tarball',
  upload: 'deploy:platform:upload_tarball',
  activate: 'deploy:tar:extract_failed',
  poll: 'deploy:tar:extract_failed',
  cancel: 'deploy:tar:extract_failed',
  prune: 'deploy:tar:extract_failed',
  start: 'deploy:platform:start_app',
};
const AFTER: readonly Fault[] = ['cut', 'lost', 'late'];

/** How often a build is asked for until it is ready. */
const POLLS = 3;
const SLOW_POLLS = 11;

/** A platform that runs nothing, and remembers what it was asked to run. */
export interface FaultyPlatform {
  readonly memory: MemoryPlatform;
  readonly hosting: HostingPlatform;
  /** The starts, in order, without those of what was running already. */
  readonly activations: readonly Activation[];
  /** Returns the snapshot that an application (`<user>/<app>`) runs. */
  running(app: string): string | null;
}

/** Returns such a platform, whose calls fail as `outgoing` says; `throttledSeconds`: when it may be called again then. */
export function faultyPlatform(outgoing: Outgoing, throttledSeconds = 7): FaultyPlatform {
  const isOf = (version: string, { snapshot }: { readonly snapshot: string }) => snapshot.startsWith(`${version}-`);
  const memory = memoryPlatform({
    slowPolls: (ref) => (isOf(SLOW, ref) ? SLOW_POLLS : POLLS) - 1,
    build: (_, ref) => (isOf(BROKEN.build, ref) ? { reason: 'npm failed.', log: [] } : null),
    start: (_, ref) => (isOf(BROKEN.start, ref) ? { reason: 'It does not answer.', log: ['boom'] } : null),
  });
  const activations: Activation[] = [];
  const running = (app: string) => {
    const [user = '', name = ''] = app.split('/');
    return memory.app({ user, app: name })?.serving ?? null;
  };
  const sent = <T>(method: keyof HostingPlatform, call: () => Promise<T>) =>
    outgoing(method, async (fault) => {
      const result = fault === null || AFTER.includes(fault) ? await call() : null;
      if (fault === null) return result as T;
      const retryAfter = fault === 'throttled' ? { retryAfter: throttledSeconds } : {};
      throw new DeployError(CODES[method], `An injected fault: ${fault}.`, { retry: true, ...retryAfter });
    });
  const hosting: HostingPlatform = {
    ensureApp: (...args) => sent('ensureApp', () => memory.ensureApp(...args)),
    upload: (snapshot, upload) =>
      withUpload(upload, (body) => sent('upload', () => memory.upload(snapshot, { ...upload, body }))),
    activate: (...args) => sent('activate', () => memory.activate(...args)),
    poll: (...args) => sent('poll', () => memory.poll(...args)),
    cancel: (...args) => sent('cancel', () => memory.cancel(...args)),
    prune: memory.prune.bind(memory),
    start: (snapshot) =>
      sent('start', async () => {
        const app = `${snapshot.user}/${snapshot.app}`;
        const before = running(app);
        const answer = await memory.start(snapshot);
        if (before !== snapshot.snapshot) activations.push({ app, snapshot: snapshot.snapshot });
        return answer;
      }),
  };
  return { memory, hosting, activations, running };
}
