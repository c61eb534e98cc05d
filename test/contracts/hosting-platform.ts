import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeployError } from '../../functions/core/errors.ts';
import type { Activation, AppRef, HostingPlatform, SnapshotRef, Upload } from '../../functions/core/ports/platform.ts';

/** How the application in a tarball behaves on the platform. */
export type Behaviour = 'runs' | 'has a worker' | 'is built for minutes' | 'cannot be built' | 'does not start';

/** A platform for the whole suite; every test uses an application of its own. */
export interface PlatformUnderTest {
  readonly platform: HostingPlatform;
  /** A user that exists. */
  readonly user: string;
  /** How long a build may take; default: a minute. */
  readonly buildLimitMs?: number;
  /** Returns a gzip tarball of an application; each version has different bytes. */
  tarball(app: string, version: string, behaviour: Behaviour): Promise<Buffer>;
  /** Returns the version that serves at the application's address. */
  version(app: AppRef, url: string): Promise<string>;
  close(): Promise<void>;
}

/** A platform may install packages, on a machine that has other things to do. */
export const BUILD_LIMIT_MS = 60_000;

const manifest = (name: string, version = '1.0.0') => ({ name, version });

/** Returns the upload of these bytes, as a stream of chunks. */
export function uploadOf(bytes: Buffer, patch: Partial<Upload> = {}): Upload {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { body: inChunks(bytes), bytes: bytes.length, sha256, ...patch };
}

async function* inChunks(
  bytes: Buffer,
  size = Math.max(100, Math.ceil(bytes.length / 100)),
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The contract of the port `HostingPlatform`; every implementation must pass it. */
export function hostingPlatformContract(title: string, open: () => Promise<PlatformUnderTest>): void {
  describe(`${title}, as a hosting platform`, () => {
    let at: PlatformUnderTest;
    let platform: HostingPlatform;

    beforeAll(async () => {
      at = await open();
      platform = at.platform;
    });
    afterAll(() => at?.close());

    const ref = (app: string, snapshot = '1.0.0-1'): SnapshotRef => ({ user: at.user, app, snapshot });

    /** Polls until the build has ended. */
    async function built(snapshot: SnapshotRef): Promise<Activation> {
      const end = Date.now() + (at.buildLimitMs ?? BUILD_LIMIT_MS);
      while (Date.now() < end) {
        const activation = await platform.poll(snapshot);
        if (activation.state !== 'building') return activation;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('The build did not end.');
    }

    async function upload(snapshot: SnapshotRef, behaviour: Behaviour = 'runs'): Promise<Buffer> {
      const bytes = await at.tarball(snapshot.app, snapshot.snapshot, behaviour);
      await platform.ensureApp(snapshot, manifest(snapshot.app));
      await platform.upload(snapshot, uploadOf(bytes));
      return bytes;
    }

    async function ready(snapshot: SnapshotRef, behaviour: Behaviour = 'runs'): Promise<void> {
      await upload(snapshot, behaviour);
      await platform.activate(snapshot);
      expect(await built(snapshot)).toMatchObject({ state: 'ready' });
    }

    it('deploys a tarball to an address that answers', async () => {
      const shop = ref('shop');
      await ready(shop);
      const { url } = await platform.start(shop);
      expect(url).toMatch(/^https?:\/\//);
      expect(await at.version(shop, url)).toBe(shop.snapshot);
    });

    it('accepts the same application twice, and with a new manifest', async () => {
      const again = ref('again');
      await platform.ensureApp(again, manifest('again', '1.0.0'));
      await platform.ensureApp(again, manifest('again', '1.0.0'));
      await platform.ensureApp(again, manifest('again', '1.1.0'));
    });

    it('accepts the same snapshot with the same bytes twice', async () => {
      const twice = ref('twice');
      const bytes = await upload(twice);
      expect(await platform.upload(twice, uploadOf(bytes))).toBe('stored');
    });

    it('says of an existing snapshot with other bytes that its id is taken', async () => {
      const taken = ref('taken');
      await upload(taken);
      const other = await at.tarball('taken', 'other', 'runs');
      expect(await platform.upload(taken, uploadOf(other))).toBe('taken');
    });

    it('refuses a tarball for an unknown application', async () => {
      const bytes = await at.tarball('stranger', '1', 'runs');
      await expect(platform.upload(ref('stranger'), uploadOf(bytes))).rejects.toMatchObject({
        code: 'deploy:platform:upload_tarball',
        retry: false,
      });
    });

    it('refuses bytes that do not match the declared digest', async () => {
      const forged = ref('forged');
      await platform.ensureApp(forged, manifest('forged'));
      const bytes = await at.tarball('forged', '1', 'runs');
      const wrong = uploadOf(bytes, { sha256: 'a'.repeat(64) });
      await expect(platform.upload(forged, wrong)).rejects.toMatchObject({ code: 'deploy:platform:upload_tarball' });
      await expect(platform.activate(forged)).rejects.toMatchObject({ code: 'deploy:tar:extract_failed' });
    });

    it.each([
      ['shorter', 1],
      ['longer', -1],
    ])('refuses a body that is %s than declared, and accepts the upload again afterwards', async (_word, more) => {
      const cut = ref(`cut-${more > 0 ? 'short' : 'long'}`);
      await platform.ensureApp(cut, manifest(cut.app));
      const bytes = await at.tarball(cut.app, '1', 'runs');
      await expect(platform.upload(cut, uploadOf(bytes, { bytes: bytes.length + more }))).rejects.toMatchObject({
        code: 'deploy:platform:upload_tarball',
        retry: true,
      });
      await platform.upload(cut, uploadOf(bytes));
    });

    it('returns building for a snapshot that was not activated', async () => {
      const idle = ref('idle');
      await upload(idle);
      expect(await platform.poll(idle)).toEqual({ state: 'building' });
    });

    it('accepts a repeated activation, even of a ready snapshot', async () => {
      const busy = ref('busy');
      await upload(busy);
      await platform.activate(busy);
      await platform.activate(busy);
      expect(await built(busy)).toMatchObject({ state: 'ready' });
      await platform.activate(busy);
      expect(await platform.poll(busy)).toMatchObject({ state: 'ready' });
    });

    it('returns why a build failed, with the log', async () => {
      const broken = ref('broken');
      await upload(broken, 'cannot be built');
      await platform.activate(broken);
      const activation = await built(broken);
      expect(activation).toEqual({
        state: 'failed',
        reason: expect.stringMatching(/^[^\n]{10,}$/),
        log: expect.arrayContaining([expect.stringContaining('no compiler here')]),
      });
    });

    it.each(['activate', 'poll'] as const)('refuses to %s an unknown snapshot', async (method) => {
      const none = ref(`none-${method}`);
      await platform.ensureApp(none, manifest(none.app));
      await expect(platform[method](none)).rejects.toMatchObject({ code: 'deploy:tar:extract_failed', retry: false });
    });

    it('ends a build that is cancelled, for good', async () => {
      const long = ref('long');
      await upload(long, 'is built for minutes');
      await platform.activate(long);
      expect(await platform.poll(long)).toMatchObject({ state: 'building' });
      await platform.cancel(long);
      await platform.cancel(long);
      await platform.activate(long);
      const cancelled = { state: 'failed', reason: expect.stringContaining('cancelled'), log: expect.any(Array) };
      expect(await platform.poll(long)).toEqual(cancelled);
    });

    it('never builds a snapshot that was cancelled before its activation', async () => {
      const early = ref('early-end');
      await upload(early);
      await platform.cancel(early);
      await platform.activate(early);
      expect(await platform.poll(early)).toMatchObject({
        state: 'failed',
        reason: expect.stringContaining('cancelled'),
      });
    });

    it('has nothing to cancel of a snapshot that is unknown or built', async () => {
      const done = ref('done');
      await platform.cancel(ref('none-cancelled'));
      await ready(done);
      await platform.cancel(ref('done', 'missing'));
      await platform.cancel(done);
      expect(await platform.poll(done)).toMatchObject({ state: 'ready' });
      const { url } = await platform.start(done);
      await platform.cancel(done);
      expect(await at.version(done, url)).toBe(done.snapshot);
    });

    it('refuses to start a snapshot that is unknown or not ready', async () => {
      const early = ref('early');
      await upload(early);
      const refused = { code: 'deploy:platform:start_app', retry: false };
      await expect(platform.start(early)).rejects.toMatchObject(refused);
      await expect(platform.start(ref('early', 'missing'))).rejects.toMatchObject(refused);
    });

    it('accepts the start of a running snapshot and returns the same address', async () => {
      const running = ref('running');
      await ready(running);
      const first = await platform.start(running);
      expect(await platform.start(running)).toEqual(first);
    });

    it('switches traffic to a newer snapshot at the same address, and back', async () => {
      const [first, second] = [ref('moving', '1.0.0-1'), ref('moving', '1.0.0-2')];
      await ready(first);
      const { url } = await platform.start(first);
      await ready(second);
      expect(await platform.start(second)).toEqual({ url });
      expect(await at.version(second, url)).toBe('1.0.0-2');
      expect(await platform.start(first)).toEqual({ url });
      expect(await at.version(first, url)).toBe('1.0.0-1');
    });

    it('fails with one line and the log when an application does not start, while the old snapshot keeps serving', async () => {
      const [good, bad] = [ref('falling', '1.0.0-1'), ref('falling', '1.0.0-2')];
      await ready(good);
      const { url } = await platform.start(good);
      await ready(bad, 'does not start');
      const error: DeployError = await platform.start(bad).then(
        () => expect.unreachable(),
        (thrown) => thrown,
      );
      expect(error).toMatchObject({ code: 'deploy:platform:start_app', retry: false });
      expect(error.detail).toMatch(/^[^\n]{10,}$/);
      expect(error.logTail).toEqual(expect.arrayContaining([expect.stringContaining('no database here')]));
      expect(await at.version(good, url)).toBe('1.0.0-1');
    });
  });
}
