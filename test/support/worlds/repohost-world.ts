import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { gitCommand } from '../../../lib/repohost/git/git.ts';
import {
  openRepositories,
  type RepoHost,
  type RepoHostOptions,
  startRepoHost,
} from '../../../lib/repohost/repohost.ts';
import { type FakeReceiver, fakeReceiver } from '../../fakes/receiver.ts';
import { temporaryFolder, type WorkingCopy, workingCopy } from '../repohost-fixture.ts';

/** A repository host, the service that records its pushes, and a working copy to push from. */
export interface RepoHostWorld {
  /** The folder of all of it. */
  readonly folder: string;
  readonly dataDir: string;
  readonly service: FakeReceiver;
  readonly copy: WorkingCopy;
  /** The host that was started last. */
  readonly host: RepoHost;
  /** Starts the host on the data folder, and has missed pushes recorded. Ada's password is `secret`. */
  start(options?: HostOptions): Promise<RepoHost>;
  /** The address of Ada's repository `app`, with her password. */
  url(): string;
  /** Pushes and returns the messages of git. */
  push(...args: string[]): Promise<string>;
  /** Pushes main in a process group, as a shell makes one, which can be killed. */
  pushInGroup(remote: string): ChildProcess;
}

type HostOptions = Partial<RepoHostOptions> & { readonly git?: string };

/**
 * Makes a world before each test, or once for all tests of a file, and removes it afterwards. `begin` starts its host and
 * fills it; its properties are those of the current one.
 */
export function repoHostWorld(
  begin: (world: RepoHostWorld) => Promise<unknown>,
  { once = false }: { readonly once?: boolean } = {},
): RepoHostWorld {
  const world = {} as { -readonly [key in keyof RepoHostWorld]: RepoHostWorld[key] };
  let remove = () => {};
  const [before, after] = once ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    const folder = temporaryFolder();
    remove = folder.remove;
    const dataDir = join(folder.path, 'data');
    const service = fakeReceiver();
    const start = async ({ git, ...options }: HostOptions = {}) => {
      const open = await openRepositories(dataDir, git === undefined ? undefined : gitCommand(git));
      const verify = async (user: string, secret: string) => user === 'ada' && secret === 'secret';
      world.host = await startRepoHost(open, { port: 0, verify, receiver: service, ...options });
      await world.host.compare();
      return world.host;
    };
    const copy = workingCopy(join(folder.path, 'work'));
    const url = () => world.host.cloneUrl('ada', 'app').replace('//', '//ada:secret@');
    const push = async (...args: string[]) => (await copy.git('push', ...args)).stderr;
    const pushInGroup = (remote: string) => {
      const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
      return spawn('git', ['-C', copy.path, 'push', remote, 'main'], { env, detached: true, stdio: 'ignore' });
    };
    Object.assign(world, { folder: folder.path, dataDir, service, copy, start, url, push, pushInGroup });
    await begin(world);
  });
  after(async () => {
    await world.host?.close();
    remove();
  });
  return world;
}
